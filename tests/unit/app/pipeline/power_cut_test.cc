// A machine that loses power forgets what was not synced. In modes that draw at random while they
// learn, it then draws again: no version that was released may come a second time with other bits.

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "app/pipeline/model_release.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "engine/plan.h"
#include "tests/support/crash_simulation.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/passive_spec.h"

namespace lethe::power_cut_test {
namespace {

constexpr int kPowerCuts = 50;
constexpr std::int64_t kRecordNs = 60'000'000;  // between two records

// A disk with a cache: what was written is read back, and a power cut takes what was not synced.
class CachedStore final : public ForwardingStore {
 public:
  CachedStore() : ForwardingStore(cache_) {}
  Status Write(const WriteBatch& batch, bool sync) override {
    LETHE_RETURN_IF_ERROR(ForwardingStore::Write(batch, sync));
    if (sync) disk_ = cache_;
    return Status::Ok();
  }
  void CutPower() { cache_ = disk_; }

 private:
  MemoryStore cache_;
  MemoryStore disk_;
};

struct Case {
  const char* name;
  const char* mode;
  Calibration calibration = Calibration::kLedger;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// What is outside of the machine.
struct World {
  std::map<std::int64_t, std::set<std::string>> released;  // by version
  ModelVersion mark{-1};
  std::size_t releases = 0;
};

class WorldPort final : public ReleasePort {
 public:
  WorldPort(World& world, const Shard& shard) : world_(world), shard_(shard) {}

  Status WaitForWrites() override { return Status::Ok(); }
  Status Mark(ModelVersion version) override {
    world_.mark = std::max(world_.mark, version);
    return Status::Ok();
  }
  Status DestroySnapshotsWith(EventIndex) override { return Status::Ok(); }
  Status AddSnapshot() override { return Release(); }
  void Show() override { (void)Release(); }
  Status SendModel() override { return Release(); }
  Status SendCleanFrom() override { return Status::Ok(); }
  Status WaitForModels() override { return Status::Ok(); }

 private:
  Status Release() {
    const Vector model = shard_.unlearner().model();
    std::string bits(static_cast<std::size_t>(model.size()) * sizeof(double), '\0');
    std::memcpy(bits.data(), model.data(), bits.size());
    world_.released[shard_.model_version().value].insert(bits);
    ++world_.releases;
    EXPECT_TRUE(!shard_.draws_while_learning() || world_.mark >= shard_.model_version());
    return Status::Ok();
  }

  World& world_;
  const Shard& shard_;
};

class RunPowerCutTest : public ::testing::TestWithParam<Case>, public CommitSteps {
 protected:
  RunPowerCutTest() {
    Spec spec = PassiveSpec();
    spec.model.dimension = 5;
    spec.forgetting.mode = GetParam().mode;
    spec.forgetting.calibration = GetParam().calibration;
    spec.forgetting.erm = {.warmup = 20, .refit_every = 5, .steps = 2};
    spec.forgetting.fats = {.client = FatsClient::kSubject,
                            .clients = 3,
                            .draws = 2,
                            .local_steps = 2,
                            .batch = 2,
                            .round_every = 10};
    auto plan = Plan::Make(spec);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    plan_.emplace(plan.value());
  }

  bool NeedsSync() override { return release_->NeedsSync(now_); }
  Status Release(bool has_news) override {
    return release_->AfterCommit(has_news, std::nullopt, now_);
  }

  // From a start of the machine until it loses power, after so many records.
  void Live(const std::vector<Record>& records, std::size_t count) {
    auto state = DurableState::Open(store_, nullptr).value();
    Shard shard(*plan_, identity_, {*state, state->payloads(), sink_, probe_, hasher_, random_});
    ASSERT_TRUE(shard.Resume().ok());
    EXPECT_GE(shard.model_version(), world_.mark);  // or the start would be refused
    WorldPort port(world_, shard);
    release_.emplace(
        shard, port,
        ModelRelease::Pace{
            .models_every_ns = 10 * kRecordNs, .snapshot_every = 7, .has_models_topic = true});
    release_->Begin();
    RecordFeeder runner(shard, *this);
    ASSERT_TRUE(runner.Commit().ok());
    for (const Record& record : records) {
      if (record.offset < shard.next()) continue;
      if (count-- == 0) break;
      now_ += kRecordNs;
      ASSERT_TRUE(runner.Process(record).ok());
      const bool is_due = shard.has_news() || record.offset.value % 5 == 0;
      if (!is_due && !NeedsSync()) continue;
      ASSERT_TRUE(runner.Commit().ok());
    }
    release_.reset();
  }

  std::optional<Plan> plan_;
  CachedStore store_;
  SystemRandom random_;
  const ShardIdentity identity_ = ShardIdentity::New({0}, random_);
  SodiumHasher hasher_;
  testing::RecordingSink sink_;
  Probe probe_;
  World world_;
  std::optional<ModelRelease> release_;
  std::int64_t now_ = kRecordNs;
};

TEST_P(RunPowerCutTest, NoVersionIsReleasedWithTwoModels) {
  auto records = testing::RandomRecords(3, 8000, 5);
  // Long stretches without a deletion: only there are commits not synced.
  std::erase_if(records, [](const Record& record) {
    return record.offset.value % 100 != 0 &&
           (record.rejection || record.event.kind != EventKind::kLearn);
  });
  // And one early, since d2d_strong draws in a refit only once there is somebody to hide.
  const auto named = std::find_if(records.begin() + 40, records.end(),
                                  [](const Record& record) { return record.event.id.has_value(); });
  Record& deletion = records[100];
  deletion.event.kind = EventKind::kDelete;
  deletion.event.id = named->event.id;
  deletion.rejection.reset();
  Live(records, 110);
  store_.CutPower();
  std::mt19937_64 lengths(7);
  for (int i = 1; i < kPowerCuts; ++i) {
    Live(records, 20 + lengths() % 130);
    store_.CutPower();
    if (HasFatalFailure()) return;
  }
  std::size_t twice = 0;
  for (const auto& [version, models] : world_.released) twice += models.size() > 1 ? 1 : 0;
  EXPECT_EQ(twice, 0u) << "of " << world_.released.size() << " released versions";
  EXPECT_GT(world_.released.size(), 20u);
  std::cout << kPowerCuts << " power cuts, " << world_.releases << " releases of "
            << world_.released.size() << " versions, " << twice << " with two models\n";
}

INSTANTIATE_TEST_SUITE_P(
    Modes, RunPowerCutTest,
    ::testing::Values(Case{"noisy", "noisy"}, Case{"online_dp", "online_dp"},
                      Case{"noisy_gd", "noisy_gd"}, Case{"d2d_strong", "d2d_strong"},
                      Case{"d2d_distributed", "d2d_distributed", Calibration::kRecursion},
                      Case{"fats", "fats"}, Case{"passive", "passive"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lethe::power_cut_test
