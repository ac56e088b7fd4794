#include "tests/support/crash_simulation.h"

#include <random>

#include <gtest/gtest.h>

#include "engine/base/archive.h"
#include "tests/support/forwarding_store.h"

namespace lethe::testing {
namespace {

// The process dies by an exception that only the simulation catches.
class DyingStore final : public ForwardingStore {
 public:
  using OnWrite = std::function<void(const WriteBatch&)>;
  DyingStore(Store& disk, OnWrite on_write)
      : ForwardingStore(disk), on_write_(std::move(on_write)) {}

  Status Write(const WriteBatch& batch, bool) override {
    on_write_(batch);
    return Status::Ok();
  }

 private:
  OnWrite on_write_;
};

class DyingSink final : public Sink {
 public:
  using OnPublish = std::function<void(std::string_view)>;
  explicit DyingSink(OnPublish on_publish) : on_publish_(std::move(on_publish)) {}
  Status Publish(ShardId, ChainKind, std::string_view bytes) override {
    on_publish_(bytes);
    return Status::Ok();
  }

 private:
  OnPublish on_publish_;
};

}  // namespace

std::vector<Record> RandomRecords(std::uint64_t seed, std::size_t count, Eigen::Index dimension) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::vector<Record> records(count);
  std::int64_t offset = 0;
  std::int64_t time = 1'700'000'000'000;
  for (Record& record : records) {
    offset += 1 + static_cast<std::int64_t>(below(10) == 0 ? below(5) : 0);
    time += static_cast<std::int64_t>(below(2000)) - 500;
    record.offset = {offset};
    record.timestamp = {time};
    record.event.x.resize(static_cast<std::size_t>(dimension));
    for (double& x : record.event.x) x = static_cast<double>(below(2001)) / 1000.0 - 1;
    for (double& x : record.event.x) x /= std::sqrt(static_cast<double>(dimension));
    record.event.y = below(2) == 0 ? 1 : -1;
    const std::uint64_t roll = below(100);
    const std::string id = "e" + std::to_string(below(count / 2));
    const std::string subject = "s" + std::to_string(below(count / 10 + 1));
    if (roll < 80) {
      if (roll < 60) record.event.id = id;
      if (roll % 3 != 0) record.event.subject = subject;
    } else if (roll < 90) {
      record.event.kind = EventKind::kDelete;
      record.event.id = id;
      record.event.request = "r-" + std::to_string(offset);
    } else if (roll < 94) {
      record.event.kind = EventKind::kDelete;
      record.event.subject = subject;
    } else if (roll < 97) {
      record.event.kind = EventKind::kUpdate;
      record.event.id = id;
      record.event.subject = subject;
    } else if (roll < 98) {
      record.event.x[0] = 17;  // oversized
    } else {
      record.rejection =
          Rejection{.reason = Reason::kMalformed, .message = "not JSON", .is_request = roll == 99};
    }
  }
  return records;
}

template <typename Apply>
void CrashSimulation::Write(Apply apply) {
  ++writes_;
  const bool dies = ++since_crash_ > crash_every_;
  if (dies) since_crash_ = 0;
  if (dies && !after_) throw Death{};
  apply();
  if (dies) throw Death{};
}

// From a start of the process to its death.
struct CrashSimulation::Life {
  Life(CrashSimulation& world)
      : store(world.disk_,
              [&world](const WriteBatch& batch) {
                world.Write([&] { ASSERT_TRUE(world.disk_.Write(batch, true).ok()); });
              }),
        sink([&world](std::string_view bytes) {
          world.Write([&] { world.topic_.emplace_back(bytes); });
        }) {
    auto opened = DurableState::Open(store, nullptr);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    state = std::move(opened).value();
    shard = std::make_unique<Shard>(
        world.plan_, ShardIdentity::New({0}, world.random_),
        ShardPorts{*state, state->payloads(), sink, probe, world.hasher_, world.random_});
    const Status resumed = shard->Resume();
    EXPECT_TRUE(resumed.ok()) << resumed.message();
    shard->SetPace(world.pace_);
    shard->Obey(world.decisions_);
    // The topic says what has arrived; the rest is published first.
    const Status sent = state->ReadChain(
        world.topic_.size(), [&](std::uint64_t, ChainKind kind, std::string_view bytes) {
          return sink.Publish({0}, kind, bytes);
        });
    EXPECT_TRUE(sent.ok()) << sent.message();
  }

  // The clock decides after some records.
  Status Take(CrashSimulation& world, RecordFeeder& runner, const Record& record) {
    world.now_ms_ += 1 + record.offset.value % 2;
    shard->SetTime(world.now_ms_ * 1'000'000);
    LETHE_RETURN_IF_ERROR(runner.Process(record));
    LETHE_RETURN_IF_ERROR(runner.Obey());
    if (world.pace_.pause == 0 || record.offset.value % 3 != 0) return Status::Ok();
    return runner.ServeByTimer({{world.now_ms_}, world.now_ms_}, false);
  }

  void Run(CrashSimulation& world, const std::vector<Record>& records, const CommitTiming& policy) {
    CommitSteps no_hooks;
    RecordFeeder runner(*shard, no_hooks);
    std::size_t since_commit = 0;
    std::size_t news_waited = 0;
    for (const Record& record : records) {
      if (record.offset < shard->next()) continue;
      const Status status = Take(world, runner, record);
      ASSERT_TRUE(status.ok()) << status.message();
      if (shard->has_news()) ++news_waited;
      if (++since_commit < policy.every && news_waited < policy.news_waits) continue;
      ASSERT_TRUE(runner.Commit().ok());
      since_commit = news_waited = 0;
    }
    ASSERT_TRUE(runner.Commit().ok());
  }

  DyingStore store;
  DyingSink sink;
  Probe probe;
  std::unique_ptr<DurableState> state;
  std::unique_ptr<Shard> shard;
};

std::size_t CrashSimulation::Run(const std::vector<Record>& records, const CommitTiming& policy,
                                 std::size_t crash_every, bool after) {
  crash_every_ = crash_every;
  after_ = after;
  for (std::size_t deaths = 0;; ++deaths) {
    try {
      Life(*this).Run(*this, records, policy);
      return deaths;
    } catch (const Death&) {
    }
  }
}

std::string CrashSimulation::Part(lethe::Part part) const {
  MemoryStore copy = disk_;
  return DurableState::Open(copy, nullptr).value()->Get(part).value_or("");
}

}  // namespace lethe::testing
