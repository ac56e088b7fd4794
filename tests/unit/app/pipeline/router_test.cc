// Where requests are looked for: what shards say of one another, and what is passed on.

#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "app/pipeline/cross_shard_lookup.h"
#include "connectors/kafka/partitioner.h"
#include "connectors/system/system_clock.h"
#include "state/store/memory_store.h"
#include "tests/support/passive_spec.h"
#include "tests/support/shard_fixture.h"

namespace lethe::testing::router_test {
namespace {

// A shard on its own state, and its lookups.
struct Member {
  explicit Member(const Plan& plan, std::int64_t id, Router& router) {
    shard = std::make_unique<Shard>(plan, ShardIdentity::New({id}, random),
                                    ShardPorts{*state, payloads, sink, probe, hasher, random});
    lookups = std::make_unique<CrossShardLookup>(router, *shard, *state, clock);
  }

  SeededRandom random{1};
  MemoryStore store;
  std::unique_ptr<DurableState> state = DurableState::Open(store, nullptr).value();
  SystemClock clock;
  MemoryPayloads payloads;
  RecordingSink sink;
  CountingProbe probe;
  SodiumHasher hasher;
  std::unique_ptr<Shard> shard;
  std::unique_ptr<CrossShardLookup> lookups;
  MessageBatch batch;
};

class RunRouterTest : public ::testing::Test {
 protected:
  static constexpr std::int32_t kPartitions = 8;

  // The process has the partitions below `local`.
  void Start(std::int32_t local) {
    Spec spec = PassiveSpec();
    spec.model.dimension = 2;
    spec.noise.source = NoiseKind::kSeeded;
    const Plan plan = Plan::Make(spec).value();
    RouterPorts ports;
    ports.range = [](ShardId) { return OffsetRange{{0}, {100}}; };
    ports.ends = [this](const std::vector<ShardId>& shards) -> Result<std::vector<Offset>> {
      ++asked_for_ends;
      if (is_away) return Status(ErrorCode::kUnavailable, "no broker");
      std::vector<Offset> all;
      for (const ShardId shard : shards) all.push_back({ends[shard.value]});
      return all;
    };
    ports.pass_on = [this](ShardId to, const RoutedRequest& request) {
      passed_on.push_back({to.value, request.name.value_or("")});
      return Status::Ok();
    };
    ports.is_stopping = [this] { return is_stopping; };
    router = std::make_unique<Router>(config, kPartitions, ports);
    for (std::int32_t i = 0; i < local; ++i) {
      router->AddShard({i});
      members[i] = std::make_unique<Member>(plan, i, *router);
    }
  }

  // One record for a shard, through the lookups as the worker does it. Others answer meanwhile only
  // if they are certain already, so they are asked to here.
  void Feed(std::int64_t shard, const std::optional<std::string>& key, const std::string& value) {
    Member& member = *members.at(shard);
    MessageBatch& batch = member.batch;
    batch.admissions().try_emplace({shard}, member.shard->NewAdmission());
    batch.Clear(1);
    batch.AddMessage({shard}, {member.shard->next()}, false, key, value);
    batch.Admit();
    member.lookups->Begin(batch);
    Serve();
    std::optional<LookupResult> elsewhere;
    ASSERT_TRUE(member.lookups->Before(batch, 0, elsewhere).ok());
    ASSERT_TRUE(
        member.shard->Process(batch.position(0), batch.item(0), elsewhere ? &*elsewhere : nullptr)
            .ok());
    ASSERT_TRUE(member.shard->Commit().ok());
    ASSERT_TRUE(member.shard->Publish().ok());
  }
  void Learn(std::int64_t shard, const std::string& subject, const std::string& id) {
    Feed(shard, subject, R"({"type":"learn","id":")" + id + R"(","x":[0.5,0.1],"y":1})");
  }
  void Delete(std::int64_t shard, const std::string& subject) {
    Feed(shard, subject, R"({"type":"delete"})");
  }
  void Serve() {
    for (const auto& [id, member] : members) member->lookups->Serve();
  }
  bool PassOn(std::int64_t shard) {
    const auto passed = members.at(shard)->lookups->PassOn();
    EXPECT_TRUE(passed.ok());
    return passed.ok() && passed.value();
  }
  std::vector<std::int64_t> PassedOnTo() const {
    std::vector<std::int64_t> shards;
    for (const auto& [shard, name] : passed_on) shards.push_back(shard);
    std::sort(shards.begin(), shards.end());
    return shards;
  }
  // Where the known partitioners put a key, among the partitions of other processes.
  static std::vector<std::int64_t> OutsideOf(const std::string& key, std::int32_t local) {
    std::set<std::int64_t> places;
    for (const char* name : {"murmur2", "consistent", "fnv1a"}) {
      const auto place = *Partitioner::FromName(name)->Of(key, kPartitions);
      if (place >= local) places.insert(place);
    }
    return {places.begin(), places.end()};
  }

  Config config;
  std::map<std::int64_t, std::int64_t> ends;
  int asked_for_ends = 0;
  bool is_away = false;
  bool is_stopping = false;
  std::vector<std::pair<std::int64_t, std::string>> passed_on;
  std::unique_ptr<Router> router;
  std::map<std::int64_t, std::unique_ptr<Member>> members;
};

TEST_F(RunRouterTest, ARequestGoesToTheShardsThatHaveLearnedIt) {
  Start(kPartitions);
  Learn(2, "ann", "e-1");
  Learn(5, "ann", "e-2");
  Delete(0, "ann");
  EXPECT_EQ(PassedOnTo(), (std::vector<std::int64_t>{2, 5}));
  PassOn(0);
  EXPECT_EQ(passed_on.size(), 2u) << "a request is passed on once to each";
  EXPECT_FALSE(members[0]->lookups->first_open());
}

TEST_F(RunRouterTest, AShardThatIsBehindIsAskedUntilItHasCaughtUp) {
  Start(kPartitions);
  for (std::int64_t shard = 0; shard < kPartitions; ++shard) ends[shard] = 3;
  Learn(0, "other", "o-0");
  Delete(0, "ann");
  EXPECT_TRUE(passed_on.empty());
  PassOn(0);
  EXPECT_TRUE(passed_on.empty());
  EXPECT_EQ(members[0]->lookups->first_open(), Offset{1});
  const std::string receipt = members[0]->sink.published.back().bytes;
  EXPECT_NE(receipt.find(R"("searched":[0],"pending":[1,2,3,4,5,6,7])"), std::string::npos)
      << receipt;
  for (std::int64_t shard = 1; shard < kPartitions; ++shard) {
    for (int i = 0; i < 3; ++i) {
      const bool is_ann = shard == 6 && i == 2;
      Learn(shard, is_ann ? "ann" : "other", std::to_string(shard) + "-" + std::to_string(i));
    }
  }
  Serve();
  EXPECT_TRUE(members[0]->lookups->has_answers());
  EXPECT_TRUE(PassOn(0));
  EXPECT_EQ(PassedOnTo(), std::vector<std::int64_t>{6});
  EXPECT_FALSE(members[0]->lookups->first_open());
  EXPECT_FALSE(PassOn(0));
  EXPECT_EQ(passed_on.size(), 1u);
}

TEST_F(RunRouterTest, ARepeatedRequestGoesWhereTheFirstOneWasServed) {
  Start(kPartitions);
  Learn(2, "ann", "e-1");
  Delete(2, "ann");
  Delete(0, "ann");
  EXPECT_EQ(PassedOnTo(), std::vector<std::int64_t>{2});
  // She has come back elsewhere: that is what the next one is for.
  passed_on.clear();
  Learn(3, "ann", "e-2");
  Delete(0, "ann");
  EXPECT_EQ(PassedOnTo(), std::vector<std::int64_t>{3});
}

// The end of a partition may be an offset without a record.
TEST_F(RunRouterTest, AShardHasCaughtUpWhenNothingIsLeftToRead) {
  Start(2);
  ends[1] = 4;
  Delete(0, "ann");
  PassOn(0);
  EXPECT_TRUE(members[0]->lookups->first_open());
  members[1]->lookups->SetReached({4});
  Serve();
  PassOn(0);
  EXPECT_FALSE(members[0]->lookups->first_open());
}

TEST_F(RunRouterTest, AnOpenRequestIsAskedAgainAfterARestart) {
  Start(kPartitions);
  ends[6] = 1;
  Delete(0, "ann");
  PassOn(0);
  const Offset open = members[0]->lookups->first_open().value();
  ASSERT_TRUE(members[0]->state->Commit(true).ok());
  // The process dies and comes back; what it has processed it reads again, to ask.
  CrossShardLookup again(*router, *members[0]->shard, *members[0]->state, members[0]->clock);
  EXPECT_EQ(again.Resume().value(), open);
  EXPECT_EQ(again.first_open(), open) << "a commit before all is read again must not forget it";
  Member& member = *members[0];
  again.Begin(member.batch);
  again.Again(member.batch, 0);
  again.SetReached({1});
  Serve();
  ASSERT_TRUE(again.PassOn().ok());
  EXPECT_EQ(again.first_open(), open);
  Learn(6, "ann", "e-1");
  Serve();
  EXPECT_TRUE(again.PassOn().value());
  EXPECT_EQ(PassedOnTo(), std::vector<std::int64_t>{6});
  EXPECT_FALSE(again.first_open());
}

TEST_F(RunRouterTest, AShardThatEndsLeavesTheQuestionOpen) {
  Start(2);
  ends[1] = 1;
  members[1]->lookups->Leave();
  Delete(0, "ann");
  PassOn(0);
  EXPECT_EQ(members[0]->lookups->first_open(), Offset{0});
}

TEST_F(RunRouterTest, OtherProcessesGetARequestWhereAKnownPartitionerPutsItsSubject) {
  Start(2);
  Learn(0, "ann", "e-1");
  Delete(0, "ann");
  PassOn(0);
  EXPECT_EQ(PassedOnTo(), OutsideOf("ann", 2)) << "although the shard knows her";
  // The key of the record is not the person.
  passed_on.clear();
  Feed(0, "request-17", R"({"type":"delete","subject":"bob"})");
  PassOn(0);
  EXPECT_EQ(PassedOnTo(), OutsideOf("bob", 2));
  for (const auto& [shard, name] : passed_on) EXPECT_EQ(name, "bob");
}

TEST_F(RunRouterTest, OtherProcessesGetEverythingWhereNoPartitionerCanTell) {
  Start(2);
  const std::vector<std::int64_t> all{2, 3, 4, 5, 6, 7};
  Feed(0, "request-18", R"({"type":"delete","id":"e-9"})");
  PassOn(0);
  EXPECT_EQ(PassedOnTo(), all);
  // Found here: there is one event of an id.
  passed_on.clear();
  Learn(1, "ann", "e-1");
  Feed(0, std::nullopt, R"({"type":"delete","id":"e-1"})");
  PassOn(0);
  EXPECT_EQ(PassedOnTo(), std::vector<std::int64_t>{1});
  // Once events were learned that no known partitioner explains.
  passed_on.clear();
  router->SetAnywhere();
  Delete(0, "bob");
  PassOn(0);
  EXPECT_EQ(PassedOnTo(), all);
}

TEST_F(RunRouterTest, AnUpdateIsLookedForUnlessItsOldVersionIsHere) {
  Start(kPartitions);
  const std::string update = R"({"type":"update","id":"e-1","x":[0.5,0.1],"y":1})";
  Learn(3, "ann", "e-1");
  Feed(0, "ann", update);
  EXPECT_TRUE(PassOn(0));
  EXPECT_EQ(PassedOnTo(), std::vector<std::int64_t>{3});
  const int asked = asked_for_ends;
  Feed(0, "ann", update);
  PassOn(0);
  EXPECT_EQ(asked_for_ends, asked);
  EXPECT_EQ(passed_on.size(), 1u);
}

TEST_F(RunRouterTest, WithoutABrokerAQuestionWaitsAndAStopEndsTheWait) {
  Start(2);
  is_away = true;
  is_stopping = true;
  Learn(0, "ann", "e-1");
  Delete(0, "ann");
  EXPECT_EQ(members[0]->lookups->PassOn().status().code(), ErrorCode::kInterrupted);
}

TEST_F(RunRouterTest, AKeyIsWhereAPartitionerPutsItOrUnexplained) {
  Start(2);
  const auto murmur = *Partitioner::FromName("murmur2")->Of("ann", kPartitions);
  std::set<std::int64_t> others;
  for (const char* name : {"consistent", "fnv1a"}) {
    others.insert(*Partitioner::FromName(name)->Of("ann", kPartitions));
  }
  for (std::int64_t shard = 0; shard < kPartitions; ++shard) {
    const auto expected = shard == murmur          ? Router::Placement::kRight
                          : others.contains(shard) ? Router::Placement::kOther
                                                   : Router::Placement::kUnexplained;
    EXPECT_EQ(router->PlacementOf({shard}, "ann"), expected) << shard;
  }
}

}  // namespace
}  // namespace lethe::testing::router_test
