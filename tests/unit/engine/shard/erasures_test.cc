// Erasures to come: which is due, and what a commit saves of them.

#include "engine/shard/erasures.h"

#include <string>

#include <gtest/gtest.h>

namespace lethe::testing::erasures_test {
namespace {

constexpr std::size_t kFirst = Erasures::kWithShard;

// Counts the bytes of Part::kErasures that are written.
class CountingParts final : public State {
 public:
  std::optional<LearnedEvent> FindId(const KeyHash&) const override { return std::nullopt; }
  std::vector<LearnedEvent> FindSubject(const KeyHash&) const override { return {}; }
  std::optional<Refusal> FindRefusal(const KeyHash&) const override { return std::nullopt; }
  void AddEvent(const LearnedEvent&) override {}
  void RemoveEvent(const LearnedEvent&) override {}
  void DropBefore(EventIndex) override {}
  void Refuse(const KeyHash&, const Refusal&) override {}
  void ExpireRefusals(TimeMs) override {}
  void Append(ChainKind, std::string_view) override {}
  Status Commit(bool) override { return Status::Ok(); }

  std::optional<std::string> Get(Part part) const override {
    return part == Part::kErasures ? part_ : std::nullopt;
  }
  void Put(Part, std::string_view bytes) override {
    part_ = bytes;
    written += bytes.size();
  }
  void Extend(Part, std::string_view bytes) override {
    part_->append(bytes);
    written += bytes.size();
  }

  std::size_t written = 0;

 private:
  std::optional<std::string> part_;
};

class ErasuresTest : public ::testing::Test {
 protected:
  void Add(std::size_t count) {
    for (; count > 0; --count, ++added_) {
      Erasure erasure;
      erasure.receipt[0] = static_cast<std::uint8_t>(added_);
      erasure.receipt_sha256 = std::string(64, 'a');
      erasure.effective = erasure.received = {added_};
      erasures_.Add(erasure);
    }
  }
  // What a start has of the erasures.
  Erasures Reloaded() {
    SavingArchive saving;
    saving(erasures_);
    const std::string first = saving.Take();
    LoadingArchive loading(first);
    Erasures loaded;
    loading(loaded);
    EXPECT_TRUE(loading.complete());
    EXPECT_TRUE(loaded.SetFirstTimes(erasures_.FirstTimes()));
    EXPECT_TRUE(loaded.Load(parts_).ok());
    return loaded;
  }
  void ExpectSaved() {
    const Erasures loaded = Reloaded();
    ASSERT_EQ(loaded.all().size(), erasures_.all().size());
    for (std::size_t i = 0; i < loaded.all().size(); ++i) {
      EXPECT_EQ(loaded.all()[i].receipt, erasures_.all()[i].receipt);
      EXPECT_EQ(loaded.all()[i].receipt_sha256, erasures_.all()[i].receipt_sha256);
      EXPECT_EQ(loaded.all()[i].effective, erasures_.all()[i].effective);
      EXPECT_EQ(loaded.all()[i].received, erasures_.all()[i].received);
      EXPECT_EQ(loaded.all()[i].waited.began(), erasures_.all()[i].waited.began()) << i;
    }
  }

  Erasures erasures_;
  CountingParts parts_;

 private:
  std::int64_t added_ = 0;
};

TEST_F(ErasuresTest, FewAreSavedWithTheShardAlone) {
  Add(kFirst);
  EXPECT_FALSE(erasures_.Save(parts_));
  EXPECT_EQ(parts_.Get(Part::kErasures), std::nullopt);
  ExpectSaved();
}

TEST_F(ErasuresTest, ACommitWritesTheNewOnesOnly) {
  for (int commit = 0; commit < 100; ++commit) {
    Add(7);
    erasures_.HasWaited({{1000 + commit}, commit}, 1'000'000);
    EXPECT_EQ(erasures_.Save(parts_), erasures_.all().size() > kFirst);
    ExpectSaved();
  }
  EXPECT_EQ(parts_.written, parts_.Get(Part::kErasures)->size());
}

TEST_F(ErasuresTest, TheBeginningOfAWaitIsSavedLater) {
  Add(kFirst + 10);
  erasures_.Save(parts_);
  erasures_.HasWaited({{5000}, 1}, 1'000'000);
  erasures_.Save(parts_);
  ExpectSaved();
  EXPECT_EQ(Reloaded().all().back().waited.began(), TimeMs{5000});
}

TEST_F(ErasuresTest, AfterAllWereDoneThePartHasTheNewOnesAlone) {
  for (const std::size_t more : {std::size_t{3}, std::size_t{40}, std::size_t{0}}) {
    Add(kFirst + 20);
    erasures_.Save(parts_);
    erasures_.Clear();
    EXPECT_TRUE(erasures_.empty());
    Add(more > 0 ? kFirst + more : 1);
    EXPECT_EQ(erasures_.Save(parts_), more > 0);
    ExpectSaved();
    erasures_.Clear();
    erasures_.Save(parts_);
    ExpectSaved();
  }
}

TEST_F(ErasuresTest, AReloadedOneGoesOnSaving) {
  Add(kFirst + 5);
  erasures_.HasWaited({{1000}, 0}, 1'000'000);
  erasures_.Save(parts_);
  erasures_ = Reloaded();
  Add(5);
  erasures_.HasWaited({{2000}, 0}, 1'000'000);
  erasures_.Save(parts_);
  ExpectSaved();
}

TEST_F(ErasuresTest, DamageIsNoticed) {
  Add(kFirst + 5);
  erasures_.Save(parts_);
  const std::string whole = *parts_.Get(Part::kErasures);
  for (const std::size_t size : {std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
    parts_.Put(Part::kErasures, whole.substr(0, size));
    Erasures loaded = Erasures();
    EXPECT_EQ(loaded.Load(parts_).code(), ErrorCode::kInput) << size;
  }
}

// The one that waited longest is not the first one if the wall clock was wrong.
TEST_F(ErasuresTest, TheLongestWaitDecides) {
  Add(2);
  ASSERT_TRUE(erasures_.SetFirstTimes({{{0}, {9000}}, {{0}, {4000}}}));
  EXPECT_FALSE(erasures_.HasWaited({{10'000}, 50}, 6001));
  EXPECT_TRUE(erasures_.HasWaited({{10'000}, 50}, 6000));
  Add(1);
  EXPECT_FALSE(erasures_.HasWaited({{0}, 60}, 6011));
  EXPECT_TRUE(erasures_.HasWaited({{0}, 61}, 6011));
}

}  // namespace
}  // namespace lethe::testing::erasures_test
