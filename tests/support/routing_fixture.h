#pragma once

#include <test_paths.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "connectors/kafka/cluster.h"
#include "connectors/kafka/partitioner.h"
#include "tests/support/daemon_fixture.h"
#include "tests/support/http_client.h"

namespace lethe::testing {

// A test of streams whose records are placed by several partitioners, with functions that tell how
// each request ended.
class RunRoutingTest : public DaemonTest {
 protected:
  static std::int32_t PlaceOf(const std::string& key, const char* partitioner, int partitions) {
    return *Partitioner::FromName(partitioner)->Of(key, partitions);
  }

  OutMessage LearnOf(const std::string& subject, const std::string& id, std::int32_t partition) {
    const double x = 0.01 * static_cast<double>(id.size() + id.back() % 50);
    return {topic,
            partition,
            subject,
            R"({"type":"learn","id":")" + id + R"(","x":[0.5,)" + std::to_string(x) +
                R"(,0,0.1,0],"y":1})",
            {}};
  }
  OutMessage DeleteOf(const std::string& subject, const std::string& request,
                      std::int32_t partition) {
    return {topic, partition, subject, R"({"type":"delete","request":")" + request + R"("})", {}};
  }

  // The entries of the receipts topic by shard, without repeats. Checks each chain.
  std::map<std::string, std::vector<std::string>> Chains() {
    std::map<std::string, std::vector<std::string>> chains;
    for (const std::string& entry : PublishedChain()) {
      auto& chain = chains[Member(entry, "/shard")];
      if (std::find(chain.begin(), chain.end(), entry) == chain.end()) chain.push_back(entry);
    }
    const auto file = folder / "published.ndjson";
    std::ofstream out(file);
    for (const auto& [shard, chain] : chains) {
      for (const std::string& entry : chain) out << entry << '\n';
    }
    out.close();
    Process verify({LETHE_BINARY, "receipts", "verify", file.string()},
                   (folder / "verify.log").string());
    EXPECT_EQ(verify.Wait(), 0) << verify.Log();
    return chains;
  }
  // The outcomes of one request in all shards, and how many events were forgotten.
  struct Ending {
    std::multiset<std::string> outcomes;
    std::int64_t events = 0;
  };
  std::map<std::string, Ending> Endings() {
    std::map<std::string, Ending> endings;
    for (const auto& [shard, chain] : Chains()) {
      for (const std::string& entry : chain) {
        if (Member(entry, "/format") != "lethe.receipt/1") continue;
        Ending& ending = endings[Member(entry, "/request")];
        ending.outcomes.insert(Member(entry, "/outcome"));
        if (Member(entry, "/outcome") == "forgotten") {
          ending.events += std::stoll(Member(entry, "/events"));
        }
      }
    }
    return endings;
  }

  // Waits until the daemons have read to the end and the topics do not grow any more.
  void WaitForQuiet(const std::vector<const Process*>& daemons) {
    auto cluster = KafkaCluster::Open(Settings(), {}).value();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    for (int quiet = 0; quiet < 5;) {
      std::int64_t total = 0;
      for (std::int32_t p = 0; p < *cluster->PartitionCount(topic, kPatience).value(); ++p) {
        const OffsetRange range = cluster->Range(topic, p, kPatience).value();
        total += range.next.value - range.first.value;
      }
      std::int64_t read = 0;
      for (const Process* daemon : daemons) {
        read += std::atoll(StatusOf(*daemon, "/totals/records").c_str());
      }
      quiet = read == total ? quiet + 1 : 0;
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << read << " of " << total << "\n"
                                                            << daemons.front()->Log();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  void Stop(Process& daemon) {
    daemon.Signal(SIGTERM);
    ASSERT_EQ(daemon.Wait(), 0) << daemon.Log();
  }
  std::string Metric(const Process& daemon, const std::string& name) {
    const std::string text = Get(Url(daemon), "/metrics").body;
    const std::size_t at = text.find("\n" + name);
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  }

  // Half of the events of each subject are placed by one partitioner, half by another; deletes are
  // placed by the second.
  static constexpr int kSubjects = 60;
  static constexpr int kEventsEach = 6;
  std::vector<OutMessage> MixedLearns(int partitions) {
    std::vector<OutMessage> learns;
    for (int e = 0; e < kEventsEach; ++e) {
      for (int s = 0; s < kSubjects; ++s) {
        const std::string subject = "user-" + std::to_string(s);
        const char* rule = e % 2 == 0 ? "murmur2" : "consistent";
        learns.push_back(LearnOf(subject, "e-" + std::to_string(s) + "-" + std::to_string(e),
                                 PlaceOf(subject, rule, partitions)));
      }
    }
    return learns;
  }
  std::vector<OutMessage> Deletes(int partitions, const char* rule = "consistent") {
    std::vector<OutMessage> deletes;
    for (int s = 0; s < kSubjects; ++s) {
      const std::string subject = "user-" + std::to_string(s);
      deletes.push_back(
          DeleteOf(subject, "r-" + std::to_string(s), PlaceOf(subject, rule, partitions)));
    }
    return deletes;
  }
  void ExpectAllForgotten() {
    const auto endings = Endings();
    EXPECT_EQ(endings.size(), std::size_t{kSubjects});
    for (const auto& [request, ending] : endings) {
      EXPECT_EQ(ending.events, kEventsEach) << request;
      EXPECT_GE(ending.outcomes.count("forgotten"), 1u) << request;
    }
  }

  // Two processes, each with half of the partitions and a state of its own.
  void ConfigureTwo(const std::string& more = "") {
    for (int ordinal = 0; ordinal < 2; ++ordinal) {
      state_path = folder / ("state-" + std::to_string(ordinal));
      config_path = folder / ("lethe-" + std::to_string(ordinal) + ".yaml");
      std::string text = Config(more);
      const std::string from = "topic: " + topic + "}";
      text.replace(
          text.find(from), from.size(),
          "topic: " + topic + ", partitions: {ordinal: " + std::to_string(ordinal) + ", of: 2}}");
      std::ofstream(config_path) << text;
      two_[ordinal] = config_path;
    }
  }
  std::unique_ptr<Process> StartOf(int ordinal) {
    config_path = two_[ordinal];
    return Start();
  }

  std::filesystem::path two_[2];
};

}  // namespace lethe::testing
