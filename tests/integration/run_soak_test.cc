// A daemon at full rate for as long as LETHE_SOAK_SECONDS says (10), with deletions, kills, and a
// broker that restarts. Watches what must stay flat, and compares the end with what was sent.

#include <test_paths.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "tests/support/daemon_fixture.h"

namespace lethe::testing::run_soak_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMostAhead = 1'000'000;  // records that the daemon may be behind
constexpr std::int64_t kOneDeletionIn = 1000;
constexpr std::int64_t kOneDuplicateIn = 500;
constexpr std::int64_t kSubjects = 1'000'000;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMeasuresMemory = false;  // freed memory is kept there
#else
constexpr bool kMeasuresMemory = true;
#endif

// What was sent, and so what must come out.
struct Sent {
  std::atomic<std::int64_t> records{0};
  std::atomic<std::int64_t> events{0};  // with an id of their own
  std::int64_t requests = 0;
};

class RunSoakTest : public DaemonTest {
 protected:
  static int Seconds() {
    const char* seconds = std::getenv("LETHE_SOAK_SECONDS");
    return seconds == nullptr ? 10 : std::atoi(seconds);
  }

  // Sends until it is told to stop, as fast as the daemon reads.
  void Produce(const std::atomic<bool>& done, const std::atomic<std::int64_t>& read, Sent& sent) {
    auto producer =
        KafkaProducer::Start(With("queue.buffering.max.messages", "100000"), {}).value();
    std::mt19937_64 random(1);
    const auto send = [&](const std::string& key, const std::string& value) {
      const OutMessage message{topic, 0, key, value, {}};
      EXPECT_TRUE(producer->Send(message, {}, std::chrono::minutes(2)).ok());
      ++sent.records;
    };
    char learn[160];
    while (!done) {
      while (!done && sent.records - read > kMostAhead) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      const std::int64_t number = sent.events++;
      const double x = 1e-6 * static_cast<double>(random() % 400'000);
      std::snprintf(learn, sizeof learn,
                    R"({"type":"learn","id":"e-%lld","x":[%.6f,0.25,-0.1,0.3,%.6f],"y":%s})",
                    static_cast<long long>(number), x, 0.4 - x, random() % 2 == 0 ? "1" : "-1");
      const std::string subject = "user-" + std::to_string(random() % kSubjects);
      send(subject, learn);
      if (number % kOneDuplicateIn == 0) send(subject, learn);
      if (number % kOneDeletionIn != kOneDeletionIn - 1) continue;
      ++sent.requests;
      send("", R"({"type":"delete","id":"e-)" +
                   std::to_string(random() % static_cast<std::uint64_t>(number)) + R"("})");
    }
    EXPECT_TRUE(producer->Flush(std::chrono::minutes(2)).ok());
  }

  // Bytes of memory of its own, and open files.
  static std::pair<std::int64_t, std::int64_t> Usage(const Process& daemon) {
    const std::string folder = "/proc/" + std::to_string(daemon.pid());
    std::ifstream statm(folder + "/statm");
    std::int64_t size = 0, resident = 0, shared = 0;
    statm >> size >> resident >> shared;
    std::int64_t files = 0;
    std::error_code gone;
    for (std::filesystem::directory_iterator at(folder + "/fd", gone), end; !gone && at != end;
         at.increment(gone)) {
      ++files;
    }
    return {(resident - shared) * sysconf(_SC_PAGESIZE), files};
  }
};

TEST_F(RunSoakTest, StaysWithinItsBounds) {
  topic = NewTopic(1, {{"retention.bytes", "4000000000"}, {"segment.bytes", "200000000"}});
  Config("erasure: {max_lag: 10m, refuse_late_for: 1h}\n");
  std::atomic<bool> done{false};
  std::atomic<std::int64_t> read{0};
  Sent sent;
  auto daemon = Start();
  ASSERT_TRUE(daemon->Says("msg=ready")) << daemon->Log();
  std::thread producer([&] { Produce(done, read, sent); });

  const auto begin = Clock::now();
  const auto elapsed = [begin] {
    return static_cast<int>(
        std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count());
  };
  const int seconds = Seconds();
  const int one_kill_in = std::max(3, seconds / 20);
  const int one_restart_in = std::max(7, seconds / 6);
  std::mt19937 random(2);
  std::int64_t most_files = 0;
  int kills = 0;
  int restarts = 0;
  const int one_line_in = std::max(1, seconds / 40);
  int lines = 0;
  while (elapsed() < seconds) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    if (elapsed() / one_kill_in > kills) {
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 1000));
      daemon->Signal(SIGKILL);
      daemon->Wait();
      daemon = Start();
      EXPECT_TRUE(daemon->Says("msg=ready", std::chrono::minutes(5))) << daemon->Log();
      ++kills;
    }
    if (elapsed() / one_restart_in > restarts) {
      Broker("stop");
      Broker("start");
      ++restarts;
    }
    EXPECT_TRUE(daemon->IsRunning()) << daemon->Log();
    if (HasFailure()) break;
    const std::string records = StatusOf(*daemon, "/totals/records");
    if (records.empty()) continue;
    read = std::stoll(records);
    const std::int64_t learned = std::stoll(StatusOf(*daemon, "/totals/learned"));
    const auto [bytes, files] = Usage(*daemon);
    most_files = std::max(most_files, files);
    if (elapsed() / one_line_in > lines) {
      lines = elapsed() / one_line_in;
      std::printf("%5d s %11lld learned %6.0f MB %5lld files %3d kills %2d restarts\n", elapsed(),
                  static_cast<long long>(learned), static_cast<double>(bytes) / 1e6,
                  static_cast<long long>(files), kills, restarts);
      std::fflush(stdout);
    }
    if (kMeasuresMemory) {
      EXPECT_LE(bytes, 20 * learned + 400'000'000);
    }
  }
  done = true;
  producer.join();
  WaitForRecords(*daemon, sent.records, std::chrono::minutes(5));
  const auto total = [&](const char* name) {
    return std::stoll(StatusOf(*daemon, std::string("/totals/") + name));
  };
  // Each event was learned once, its duplicate not, and each request has its receipt.
  EXPECT_EQ(total("learned") + total("refused_late") + total("duplicates") + total("requests"),
            sent.records);
  EXPECT_EQ(total("requests"), sent.requests);
  EXPECT_EQ(total("learned"), sent.events);
  EXPECT_LE(most_files, 200);  // however many files the state has
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(std::chrono::minutes(2)), 0) << daemon->Log();
  std::map<std::string, int> outcomes;
  for (const Message& message : ReadTopic(receipts_topic)) {
    if (Member(message.value, "/format") == "lethe.receipt/1") {
      ++outcomes[Member(message.value, "/outcome")];
    }
  }
  int receipts = 0;
  for (const auto& [outcome, count] : outcomes) receipts += count;
  EXPECT_EQ(outcomes["nothing_learned"] + outcomes["rejected"], 0);
  EXPECT_GE(receipts, sent.requests);  // a kill may publish one again
  for (const char* what : {"receipts", "state"}) {
    Process verify({LETHE_BINARY, what, "verify", state_path.string()},
                   (folder / (std::string(what) + ".log")).string());
    EXPECT_EQ(verify.Wait(std::chrono::minutes(5)), 0) << verify.Log();
  }
  std::printf(
      "%lld events, %lld requests, %d kills, %d restarts of the broker, %lld files at most\n",
      static_cast<long long>(sent.events.load()), static_cast<long long>(sent.requests), kills,
      restarts, static_cast<long long>(most_files));
}

}  // namespace
}  // namespace lethe::testing::run_soak_test
