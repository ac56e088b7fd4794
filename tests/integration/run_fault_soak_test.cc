// Two processes over four partitions for as long as LETHE_FAULT_SOAK_SECONDS says (12), with every
// fault that once lost a person or stopped the pipeline, in random order: learns on the wrong
// partition, keys that are not UTF-8, requests keyed by something else than the person, updates on
// another partition, stamps from the future, records too large for a dead letter, misspelt
// requests, an intruder on the same topics, readers of a running state, killed processes, and a
// broker that restarts. At the end everybody asks to be forgotten, and nobody may be left.

#include <test_paths.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "connectors/kafka/cluster.h"
#include "connectors/kafka/partitioner.h"
#include "tests/support/daemon_fixture.h"

namespace lethe::testing::run_fault_soak_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPartitions = 4;
constexpr int kSubjects = 400;
constexpr std::size_t kTooLarge = 1'020'000;  // below the broker's limit, above what a copy needs
constexpr std::int64_t kFutureMs = 58 * 60 * 1000;

class RunFaultSoakTest : public DaemonTest {
 protected:
  // One of the two processes, with a configuration and a state of its own.
  struct Worker {
    std::filesystem::path config;
    std::filesystem::path state;
    std::unique_ptr<Process> process;
  };

  static int Seconds() {
    const char* seconds = std::getenv("LETHE_FAULT_SOAK_SECONDS");
    return seconds == nullptr ? 12 : std::atoi(seconds);
  }

  int Below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }
  bool OneIn(int n) { return Below(n) == 0; }

  // A third of the people have keys that are no text.
  static std::string Subject(int number) {
    const std::string name = "user-" + std::to_string(number);
    return number % 3 == 0 ? "\xff\xfe\x01" + name : name;
  }
  static bool IsText(int subject) { return subject % 3 != 0; }

  std::int32_t PartitionOf(const std::string& key, bool misplaced) {
    const char* rule = misplaced ? "consistent" : "murmur2";
    return *Partitioner::FromName(rule)->Of(key, kPartitions);
  }

  std::string Example(const std::string& type, const std::string& id) {
    char text[160];
    const double x = 1e-6 * static_cast<double>(Below(400'000));
    std::snprintf(text, sizeof text,
                  R"({"type":"%s","id":"%s","x":[%.6f,0.25,-0.1,0.3,%.6f],"y":%s})", type.c_str(),
                  id.c_str(), x, 0.4 - x, OneIn(2) ? "1" : "-1");
    return text;
  }

  OutMessage NextRecord() {
    const int subject = Below(kSubjects);
    const std::string key = Subject(subject);
    if (OneIn(300)) return Request(subject);
    if (OneIn(1500)) return Misspelt(subject);
    if (OneIn(4000)) {
      return {topic, Below(kPartitions), key, std::string(kTooLarge, 'x'), {}};
    }
    if (events_ > 0 && OneIn(250)) {  // an update, on any partition
      const int event = Below(events_);
      return {topic,
              Below(kPartitions),
              Subject(event % kSubjects),
              Example("update", "e-" + std::to_string(event)),
              {}};
    }
    const int event = events_++;
    const std::string owner = Subject(event % kSubjects);
    OutMessage learn{topic,
                     PartitionOf(owner, OneIn(3)),
                     owner,
                     Example("learn", "e-" + std::to_string(event)),
                     {}};
    if (OneIn(2000)) learn.timestamp_ms = NowMs() + kFutureMs;
    return learn;
  }

  static std::int64_t NowMs() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }

  std::string NewReference() { return "r-" + std::to_string(requests_++); }

  // Keyed by the person, by any partitioner; or keyed by the request, with the person inside.
  OutMessage Request(int subject) {
    const std::string key = Subject(subject);
    const std::string reference = NewReference();
    if (IsText(subject) && OneIn(2)) {
      return {topic,
              PartitionOf(reference, false),
              reference,
              R"({"type":"delete","subject":")" + key + R"(","request":")" + reference + R"("})",
              {}};
    }
    return {topic,
            PartitionOf(key, OneIn(3)),
            key,
            R"({"type":"delete","request":")" + reference + R"("})",
            {}};
  }

  OutMessage Misspelt(int subject) {
    const std::string key = Subject(subject);
    static const char* const kTypes[] = {"Delete", "erase", "FORGET", "remove"};
    ++misspelt_;
    return {topic,
            PartitionOf(key, false),
            key,
            std::string(R"({"type":")") + kTypes[Below(4)] + R"("})",
            {}};
  }

  Worker MakeWorker(const std::string& name, const std::string& partitions) {
    state_path = folder / ("state-" + name);
    config_path = folder / (name + ".yaml");
    std::string text = Config("erasure: {max_lag: 2s, refuse_late_for: 1h}\n");
    const std::string from = "topic: " + topic + "}";
    text.replace(text.find(from), from.size(),
                 "topic: " + topic + ", partitions: " + partitions + "}");
    std::ofstream(config_path) << text;
    return {config_path, state_path, nullptr};
  }
  void StartWorker(Worker& worker) {
    config_path = worker.config;
    worker.process = Start();
    ASSERT_TRUE(worker.process->Says("msg=ready", std::chrono::minutes(2)))
        << worker.process->Log();
  }

  void Kill(Worker& worker) {
    worker.process->Signal(SIGKILL);
    worker.process->Wait();
    StartWorker(worker);
    ++faults_["process killed"];
  }

  // A second owner of the same partitions must be refused, and the first must go on.
  void Intrude() {
    Worker intruder = MakeWorker("intruder", "all");
    config_path = intruder.config;
    const auto process = Start();
    EXPECT_EQ(process->Wait(std::chrono::minutes(1)), 65) << process->Log();
    std::filesystem::remove_all(intruder.state);
    ++faults_["intruder"];
  }

  void ReadRunningState(const Worker& worker) {
    for (const char* what : {"receipts", "state"}) {
      Process verify({LETHE_BINARY, what, "verify", worker.state.string()},
                     (folder / "verify.log").string());
      EXPECT_EQ(verify.Wait(std::chrono::minutes(2)), 0) << what << verify.Log();
      ++faults_["verified while running"];
    }
  }

  void RestartBroker() {
    Broker("stop");
    Broker("start");
    ++faults_["broker restarted"];
  }

  void RandomFault(std::vector<Worker>& workers) {
    switch (Below(5)) {
      case 0: return Kill(workers[0]);
      case 1: return Kill(workers[1]);
      case 2: return ReadRunningState(workers[static_cast<std::size_t>(Below(2))]);
      case 3: return Intrude();
      default: return RestartBroker();
    }
  }

  // Until both have read to the end and nothing is added any more.
  void WaitForQuiet(const std::vector<Worker>& workers) {
    auto cluster = KafkaCluster::Open(Settings(), {}).value();
    const auto deadline = Clock::now() + std::chrono::minutes(5);
    for (int quiet = 0; quiet < 10;) {
      std::int64_t total = 0;
      for (std::int32_t p = 0; p < kPartitions; ++p) {
        const OffsetRange range = cluster->Range(topic, p, kPatience).value();
        total += range.next.value - range.first.value;
      }
      std::int64_t read = 0;
      for (const Worker& worker : workers) {
        read += std::atoll(StatusOf(*worker.process, "/totals/records").c_str());
      }
      quiet = read == total ? quiet + 1 : 0;
      ASSERT_LT(Clock::now(), deadline) << read << " of " << total << " records\n"
                                        << workers.front().process->Log();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  // The receipts by request; a receipt that was published twice must be the same bytes.
  void CheckReceipts() {
    std::map<std::string, std::string> by_uuid;
    std::set<std::string> requests;
    std::int64_t rejected = 0;
    std::vector<double> latencies;
    for (const Message& message : ReadTopic(receipts_topic)) {
      const std::string& entry = message.value;
      if (Member(entry, "/format") != "lethe.receipt/1") continue;
      const auto [at, is_new] = by_uuid.try_emplace(Member(entry, "/receipt"), entry);
      EXPECT_EQ(at->second, entry) << "one receipt with two contents";
      if (!is_new) continue;
      const std::string outcome = Member(entry, "/outcome");
      if (outcome == "rejected") ++rejected;
      requests.insert(Member(entry, "/request"));
      latencies.push_back(
          1e-3 * static_cast<double>(message.timestamp.value -
                                     std::atoll(Member(entry, "/received/timestamp").c_str())));
    }
    for (int i = 0; i < requests_; ++i) {
      EXPECT_EQ(requests.count("r-" + std::to_string(i)), 1u) << "no receipt for request " << i;
    }
    EXPECT_EQ(rejected, misspelt_);
    std::sort(latencies.begin(), latencies.end());
    const auto quantile = [&](double q) {
      return latencies[static_cast<std::size_t>(q * static_cast<double>(latencies.size() - 1))];
    };
    std::printf("%zu receipts, received to published: p50 %.3f s, p99 %.3f s\n", latencies.size(),
                quantile(0.5), quantile(0.99));
  }

  // The model of both processes together is that of a replay of the recorded topic.
  void CheckReplay(const std::string& first, const std::string& second) {
    std::vector<std::string> merge = {LETHE_BINARY, "model", "merge"};
    for (const std::string* model : {&first, &second}) {
      const auto file = folder / ("model-" + std::to_string(merge.size()) + ".json");
      std::ofstream(file) << *model << '\n';
      merge.push_back(file.string());
    }
    merge.push_back("--json");
    Process merged(merge, (folder / "merge.log").string());
    EXPECT_EQ(merged.Wait(), 0) << merged.Log();
    const Replayed replayed = Replay(RecordTopic(topic));
    // An average of averages is rounded twice, so the last digit may differ.
    for (int i = 0; i < 5; ++i) {
      const std::string weight = "/weights/" + std::to_string(i);
      ASSERT_FALSE(Member(replayed.model, weight).empty());
      EXPECT_NEAR(std::stod(Member(merged.Output(), weight)),
                  std::stod(Member(replayed.model, weight)), 1e-12);
    }
  }

  std::mt19937_64 random_{7};
  int events_ = 0;
  int requests_ = 0;
  int misspelt_ = 0;
  std::map<std::string, int> faults_;
};

TEST_F(RunFaultSoakTest, NobodyIsLeftBehind) {
  topic = NewTopic(kPartitions);
  std::vector<Worker> workers;
  workers.push_back(MakeWorker("first", "[0, 1]"));
  workers.push_back(MakeWorker("second", "[2, 3]"));
  for (Worker& worker : workers) StartWorker(worker);

  const auto begin = Clock::now();
  const int seconds = Seconds();
  const int one_fault_in = std::max(3, seconds / 60);
  auto producer = KafkaProducer::Start(With("message.max.bytes", "2000000"), {}).value();
  int faults = 0;
  for (int elapsed = 0; elapsed < seconds && !HasFailure();) {
    for (int i = 0; i < 300; ++i) {
      ASSERT_TRUE(producer->Send(NextRecord(), {}, std::chrono::minutes(2)).ok());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    elapsed = static_cast<int>(
        std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count());
    if (elapsed / one_fault_in > faults) {
      faults = elapsed / one_fault_in;
      RandomFault(workers);
    }
    for (const Worker& worker : workers) {
      EXPECT_TRUE(worker.process->IsRunning()) << worker.process->Log();
    }
  }
  // A delete covers what stands before it. A broker that has just restarted may take the messages
  // of one partition earlier than older ones of another.
  ASSERT_TRUE(producer->Flush(std::chrono::minutes(2)).ok());
  for (int subject = 0; subject < kSubjects; ++subject) {
    ASSERT_TRUE(producer->Send(Request(subject), {}, std::chrono::minutes(2)).ok());
  }
  ASSERT_TRUE(producer->Flush(std::chrono::minutes(2)).ok());
  WaitForQuiet(workers);
  std::int64_t retained = 0;
  for (const Worker& worker : workers) {
    retained += std::atoll(StatusOf(*worker.process, "/totals/retained_events").c_str());
  }
  EXPECT_EQ(retained, 0) << "events of people who asked are still in a model";
  const std::string first = Model(*workers[0].process);
  const std::string second = Model(*workers[1].process);
  for (Worker& worker : workers) {
    worker.process->Signal(SIGTERM);
    ASSERT_EQ(worker.process->Wait(std::chrono::minutes(2)), 0) << worker.process->Log();
  }
  CheckReceipts();
  CheckReplay(first, second);
  std::printf("%d events, %d requests, %d misspelt", events_, requests_, misspelt_);
  for (const auto& [fault, count] : faults_) std::printf(", %d x %s", count, fault.c_str());
  std::printf("\n");
}

}  // namespace
}  // namespace lethe::testing::run_fault_soak_test
