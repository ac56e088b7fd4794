#include "tests/support/daemon_fixture.h"

#include <test_paths.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include <simdjson.h>

#include "connectors/kafka/cluster.h"
#include "connectors/system/sodium_hash.h"
#include "engine/base/json.h"
#include "engine/shard/receipt.h"
#include "tests/support/http_client.h"

namespace lethe::testing {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void Shell(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

}  // namespace

std::string Member(const std::string& json, const std::string& pointer) {
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  if (parser.parse(json).at_pointer(pointer).get(element) != simdjson::SUCCESS) return "";
  std::string_view text;
  if (element.get(text) == simdjson::SUCCESS) return std::string(text);
  return simdjson::minify(element);
}

void DaemonTest::SetUp() {
  KafkaTest::SetUp();
  folder = std::filesystem::temp_directory_path() / UniqueTopic();
  std::filesystem::create_directories(folder);
  state_path = folder / "state";
  config_path = folder / "lethe.yaml";
  topic = NewTopic(1);
  receipts_topic = NewTopic(1);
  dead_topic = NewTopic(1);
  Config();
}

void DaemonTest::TearDown() {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

std::string DaemonTest::Config(const std::string& more) {
  // What the test says itself stands only once.
  const auto usual = [&](const std::string& key, const std::string& value) {
    return more.find(key + ":") == std::string::npos ? key + ": " + value + "\n" : std::string();
  };
  const std::string text =
      usual("model", "{dimension: 5}") + usual("noise", "{source: seeded, seed: 11}") +
      // The default mode lets the clock decide which deletions share a rewind, and a replay cannot
      // repeat that without the receipts.
      usual("forgetting", "{mode: passive}") +
      usual("source", "{kafka: {brokers: \"" + Settings().brokers + "\", topic: " + topic + "}}") +
      usual("publish", "{receipts_topic: " + receipts_topic + "}") +
      usual("dead_letter", "{topic: " + dead_topic + "}") +
      usual("http", "{listen: \"127.0.0.1:0\"}") +
      usual("state", "{path: " + state_path.string() + "}") + more;
  std::ofstream(config_path) << text;
  return text;
}

std::unique_ptr<Process> DaemonTest::Start(const std::vector<std::string>& flags) {
  std::vector<std::string> command = {LETHE_BINARY, "run", "--config", config_path.string()};
  command.insert(command.end(), flags.begin(), flags.end());
  return std::make_unique<Process>(command, (folder / ("log-" + std::to_string(logs_++))).string());
}

std::unique_ptr<Process> DaemonTest::Lethe(std::vector<std::string> words) {
  words.insert(words.begin(), LETHE_BINARY);
  if (std::find(words.begin(), words.end(), "--config") == words.end()) {
    words.insert(words.end(), {"--config", config_path.string()});
  }
  return std::make_unique<Process>(words, (folder / ("log-" + std::to_string(logs_++))).string());
}

std::unique_ptr<Process> DaemonTest::LetheDone(std::vector<std::string> words, int exit_code) {
  auto process = Lethe(std::move(words));
  EXPECT_EQ(process->Wait(), exit_code) << process->Log();
  return process;
}

std::vector<OutMessage> DaemonTest::Generate(std::size_t events, double deletions, int seed) {
  const auto file = folder / "generated.ndjson";
  Shell(std::string(LETHE_BINARY) + " generate --events " + std::to_string(events) +
        " --dimension 5 --deletions " + std::to_string(deletions) + " --seed " +
        std::to_string(seed) + " --out " + file.string() + " 2>/dev/null");
  std::vector<OutMessage> messages;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::string subject = Member(line, "/subject");
    OutMessage message{topic, 0, {}, line, {}};
    if (!subject.empty()) message.key = subject;
    messages.push_back(std::move(message));
  }
  return messages;
}

void DaemonTest::ReadSome(std::size_t count) {
  const auto messages = Generate(1000, 0.05);
  Send({messages.begin() + static_cast<std::ptrdiff_t>(sent_),
        messages.begin() + static_cast<std::ptrdiff_t>(sent_ + count)});
  sent_ += count;
  const auto daemon = Start();
  WaitForRecords(*daemon, static_cast<std::int64_t>(sent_));
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
}

std::string DaemonTest::Url(const Process& daemon) {
  EXPECT_TRUE(daemon.Says("http://")) << daemon.Log();
  const std::string log = daemon.Log();
  const std::size_t at = log.find("http://");
  return log.substr(at, log.find_first_of("\n\"", at) - at);
}

std::string DaemonTest::StatusOf(const Process& daemon, const std::string& pointer) {
  return Member(Get(Url(daemon), "/v1/status").body, pointer);
}

std::string DaemonTest::Model(const Process& daemon) { return Get(Url(daemon), "/v1/model").body; }

void DaemonTest::WaitForRecords(const Process& daemon, std::int64_t records,
                                std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (std::int64_t read = -1; read != records;) {
    read = std::atoll(StatusOf(daemon, "/totals/records").c_str());
    ASSERT_TRUE(read <= records && std::chrono::steady_clock::now() < deadline)
        << StatusOf(daemon, "/totals/records") << " of " << records << " records\n"
        << daemon.Log();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void DaemonTest::WaitForRequests(const Process& daemon) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (StatusOf(daemon, "/totals/pending_requests") != "0") {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << daemon.Log();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::vector<DaemonTest::Message> DaemonTest::ReadTopic(const std::string& name) {
  auto cluster = KafkaCluster::Open(Settings(), {}).value();
  const OffsetRange range = cluster->Range(name, 0, kPatience).value();
  std::vector<Message> messages;
  if (range.next == range.first) return messages;
  const auto consumer = Consume(Settings(), name, {{0, range.first}});
  while (messages.empty() || messages.back().offset + 1 < range.next.value) {
    auto batch = NextBatch(*consumer, 0, kPatience);
    if (!batch.ok() || batch.value() == nullptr) {
      ADD_FAILURE() << "topic " << name << " ends after " << messages.size() << " messages";
      break;
    }
    const MessageBatch& read = batch.value()->messages;
    for (std::size_t i = 0; i < read.size(); ++i) {
      messages.push_back({read.position(i).offset.value, std::string(read.key(i).value_or("")),
                          std::string(read.value(i).value_or("")), read.position(i).timestamp});
    }
  }
  return messages;
}

std::filesystem::path DaemonTest::RecordTopic(const std::string& name) {
  const auto file = folder / "recorded.ndjson";
  LetheDone({"record", name, "--out", file.string()});
  return file;
}

DaemonTest::Replayed DaemonTest::Replay(const std::filesystem::path& stream,
                                        const std::string& flags) {
  const auto out = folder / "replayed";
  Shell(std::string(LETHE_BINARY) + " replay " + stream.string() + " --config " +
        config_path.string() + " --out " + out.string() + " " + flags + " >/dev/null 2>&1");
  Replayed replayed;
  replayed.model = ReadFile(out / "model.json");
  replayed.summary = ReadFile(out / "summary.json");
  // Two files hold the chains; the hashes give the order.
  std::map<std::string, std::map<std::string, std::string>> by_previous;  // by shard
  for (const char* name : {"receipts.ndjson", "notices.ndjson"}) {
    std::ifstream in(out / name);
    for (std::string line; std::getline(in, line);) {
      by_previous[Member(line, "/shard")][Member(line, "/previous")] = line;
    }
  }
  const SodiumHasher hasher;
  for (auto& [shard, entries] : by_previous) {
    std::vector<std::string>& chain = replayed.chains[shard];
    for (std::string previous = kChainStart; entries.count(previous) > 0;) {
      chain.push_back(entries[previous]);
      const Digest digest = hasher.Sha256(chain.back());
      previous = ToHex(digest.data(), digest.size());
    }
    EXPECT_EQ(chain.size(), entries.size());
  }
  if (!replayed.chains.empty()) replayed.chain = replayed.chains.begin()->second;
  return replayed;
}

DaemonTest::Replayed DaemonTest::ReplayAsPublished(const std::filesystem::path& stream) {
  const auto published = folder / "published.ndjson";
  std::ofstream out(published);
  for (const std::string& entry : PublishedChain()) out << entry << '\n';
  out.close();
  return Replay(stream, "--receipts " + published.string());
}

std::vector<std::string> DaemonTest::PublishedChain() {
  std::vector<std::string> chain;
  for (const Message& message : ReadTopic(receipts_topic)) {
    if (message.key.starts_with("owner/") || message.key.starts_with("released/")) continue;
    chain.push_back(message.value);
  }
  return chain;
}

}  // namespace lethe::testing
