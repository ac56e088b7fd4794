#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/kafka_fixture.h"
#include "tests/support/process.h"

namespace lethe::testing {

// The value at a JSON pointer as text; empty if there is none.
std::string Member(const std::string& json, const std::string& pointer);

// A test that runs `lethe run` as a process against the real broker, with its own topics and state.
class DaemonTest : public KafkaTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Writes the configuration: the usual lines, then `more`.
  std::string Config(const std::string& more = "");
  std::unique_ptr<Process> Start(const std::vector<std::string>& flags = {});

  // Starts another command of lethe, with --config unless it is given.
  std::unique_ptr<Process> Lethe(std::vector<std::string> words);
  // Runs another command of lethe to its end, and expects this exit code.
  std::unique_ptr<Process> LetheDone(std::vector<std::string> words, int exit_code = 0);

  // A stream as `lethe generate` writes it, as messages for the topic. A third of the events
  // carries no id.
  std::vector<OutMessage> Generate(std::size_t events, double deletions, int seed = 1);

  // Produces the next `count` records of a stream, lets a daemon read them, and stops it.
  void ReadSome(std::size_t count);

  // Waits until the daemon has read, committed and shown this many records.
  void WaitForRecords(const Process& daemon, std::int64_t records,
                      std::chrono::milliseconds patience = std::chrono::minutes(2));
  std::string Url(const Process& daemon);
  // A number or text of /v1/status, by a JSON pointer such as /totals/learned.
  std::string StatusOf(const Process& daemon, const std::string& pointer);
  // Waits until no request waits: rewinds are grouped by the clock.
  void WaitForRequests(const Process& daemon);
  std::string Model(const Process& daemon);

  // A topic's partition 0 as plain values, and all of a topic as `lethe record` writes it.
  struct Message {
    std::int64_t offset;
    std::string key;
    std::string value;
    TimeMs timestamp;
  };
  std::vector<Message> ReadTopic(const std::string& topic);
  std::filesystem::path RecordTopic(const std::string& topic);

  // The results of `lethe replay` on a recorded stream: model.json, and the receipts and notices in
  // the order of the chain.
  struct Replayed {
    std::string model;
    std::vector<std::string> chain;                          // of the first shard
    std::map<std::string, std::vector<std::string>> chains;  // by shard
    std::string summary;
  };
  Replayed Replay(const std::filesystem::path& stream, const std::string& flags = "");
  // As Replay, obeying the published receipts and notices.
  Replayed ReplayAsPublished(const std::filesystem::path& stream);
  // The entries of the receipts topic; repeats of the same entry are an error.
  std::vector<std::string> PublishedChain();

  std::filesystem::path folder;
  std::filesystem::path config_path;
  std::filesystem::path state_path;
  std::string topic;
  std::string receipts_topic;
  std::string dead_topic;
  std::size_t sent_ = 0;  // by ReadSome

 private:
  int logs_ = 0;
};

}  // namespace lethe::testing
