// After a slide of a window in time and its erasure, no file of the state holds anything of the
// expired events: neither a payload nor a keyed hash of an id or a subject.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/admission/pseudonymizer.h"
#include "engine/base/archive.h"
#include "state/shard_folder.h"
#include "tests/support/shard_fixture.h"

namespace lethe::testing::expired_events_test {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kStart = 1'700'000'000'000;

class ExpiredEventsTest : public ShardFixture {
 protected:
  ExpiredEventsTest() {
    path_ = fs::temp_directory_path() / ("lethe-expired-" + std::to_string(getpid()));
    fs::remove_all(path_);
    spec.forgetting.mode = "rewind";
    spec.forgetting.retention = {.time_ms = 20 * kSecond};
    Open();
  }
  ~ExpiredEventsTest() override {
    shard.reset();
    folder_.reset();
    state_folder_.reset();
    fs::remove_all(path_);
  }

  void Open() {
    runner.reset();
    shard.reset();
    folder_.reset();
    random = std::make_unique<SeededRandom>(1);
    if (!state_folder_) state_folder_ = StateFolder::Open(path_.string()).value();
    folder_ = ShardFolder::Open(*state_folder_, {0}, *random, hasher).value();
    shard = std::make_unique<Shard>(
        Plan::Make(spec).value(), folder_->identity(),
        ShardPorts{folder_->state(), folder_->state().payloads(), sink, probe, hasher, *random});
    ASSERT_TRUE(shard->Resume().ok());
    runner = std::make_unique<RecordFeeder>(*shard, hooks);
  }
  // Numbers that need eight bytes each, so that they stand in the files as they are.
  static double NumberOf(int event) { return (1 + event) / 1000.0 / 3; }
  void LearnAt(std::int64_t ms, int event) {
    Record record =
        Make(EventKind::kLearn, "id-" + std::to_string(event), "subject-" + std::to_string(event));
    record.timestamp = {kStart + ms};
    record.event.x = {NumberOf(event), NumberOf(event)};
    ASSERT_TRUE(runner->Process(record).ok());
  }
  void Commit() {
    ASSERT_TRUE(runner->Commit().ok());
    ASSERT_TRUE(folder_->state().WaitForWrites().ok());
  }

  template <typename T>
  static std::string Bytes(const T& value) {
    SavingArchive archive;
    archive(value);
    return archive.Take();
  }
  // What an event may have left: its payload, and the hashes of its names.
  std::vector<std::string> TracesOf(int event) const {
    const Pseudonymizer names(hasher, folder_->identity());
    return {Bytes(NumberOf(event)), Bytes(names.Id("id-" + std::to_string(event))),
            Bytes(names.Subject("subject-" + std::to_string(event)))};
  }
  // How many traces of the event are in some file.
  int Find(int event) const {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(path_)) {
      if (!entry.is_regular_file()) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      all += text.str();
    }
    int found = 0;
    for (const std::string& trace : TracesOf(event)) {
      found += all.find(trace) != std::string::npos ? 1 : 0;
    }
    return found;
  }

  fs::path path_;
  std::unique_ptr<StateFolder> state_folder_;
  std::unique_ptr<ShardFolder> folder_;
};

TEST_F(ExpiredEventsTest, LeaveTheDiskAfterASlideInTime) {
  constexpr int kEvents = 600;  // more than two blocks of payloads
  for (int i = 0; i < kEvents; ++i) {
    LearnAt(i * 30, i);
    if (i % 100 == 99) Commit();
  }
  for (const int event : {0, 255, 256, 300}) EXPECT_GE(Find(event), 1) << event;
  // The clock slides the window: what came in the first 10 seconds has expired.
  const ClockReading silence{.wall = {kStart + 20 * kSecond}, .steady_ms = 20 * kSecond};
  ASSERT_TRUE(runner->ServeByTimer(silence, true).ok());
  const std::int64_t oldest = shard->Report().oldest_influence.value;
  ASSERT_EQ(oldest, 334);
  Commit();
  Open();  // the erasure is done by another process
  ASSERT_EQ(shard->Report().oldest_influence.value, oldest);
  ASSERT_TRUE(runner->ServeByTimer(silence, true).ok());
  const ClockReading later{.wall = {kStart + 90 * kSecond}, .steady_ms = 90 * kSecond};
  ASSERT_TRUE(shard->IsErasureDue(later, false));
  ASSERT_TRUE(shard->Erase(later).ok());
  Commit();
  for (int i = 0; i < kEvents; ++i) {
    if (i < oldest) {
      EXPECT_EQ(Find(i), 0) << i;
      i += 9;
    }
  }
  EXPECT_GE(Find(kEvents - 1), 1);
}

}  // namespace
}  // namespace lethe::testing::expired_events_test
