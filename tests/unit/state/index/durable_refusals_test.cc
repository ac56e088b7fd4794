// The refusals of a durable state against a plain map, and what they take in memory and on disk.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "state/durable_state.h"
#include "state/store/memory_store.h"

namespace lethe::durable_refusals_test {
namespace {

constexpr std::size_t kHashKey = 16;
constexpr std::size_t kPlaceKey = 32;

bool IsSame(const std::optional<Refusal>& a, const std::optional<Refusal>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->receipt == b->receipt && a->forgotten == b->forgotten && a->until == b->until;
}

std::unique_ptr<DurableState> Open(Store& store) {
  auto state = DurableState::Open(store, nullptr);
  EXPECT_TRUE(state.ok()) << state.status().message();
  return state.ok() ? std::move(state).value() : nullptr;
}

std::size_t RowsOf(const Store& store, std::size_t key_bytes) {
  std::size_t rows = 0;
  EXPECT_TRUE(store
                  .Scan(Family::kRefused, "",
                        [&](std::string_view key, auto) {
                          rows += key.size() == key_bytes;
                          return true;
                        })
                  .ok());
  return rows;
}

void RemovePlaceRows(Store& store) {
  WriteBatch batch;
  ASSERT_TRUE(store
                  .Scan(Family::kRefused, "",
                        [&](std::string_view key, auto) {
                          if (key.size() == kPlaceKey) {
                            batch.Delete(Family::kRefused, std::string(key));
                          }
                          return true;
                        })
                  .ok());
  ASSERT_TRUE(store.Write(batch, true).ok());
}

// The state and the map that it stands for.
class Pair {
 public:
  explicit Pair(std::uint64_t seed) : random_(seed), state_(Open(store_)) {}

  std::uint64_t Draw(std::uint64_t end) { return random_() % end; }
  TimeMs now() const { return now_; }

  void Refuse(const KeyHash& hash, TimeMs until) {
    Refusal refusal{.receipt = {}, .forgotten = Draw(2) == 0, .until = until};
    for (std::uint8_t& byte : refusal.receipt) byte = static_cast<std::uint8_t>(Draw(256));
    state_->Refuse(hash, refusal);
    expected_[hash] = refusal;
    names_.push_back(hash);
  }
  // Most end in the order in which they come, some before or after, and some never.
  TimeMs DrawUntil() {
    const std::uint64_t kind = Draw(20);
    if (kind == 0) return kNoTime;
    if (kind < 4) return {now_.value + static_cast<std::int64_t>(Draw(20'000))};
    return {now_.value + 8000};
  }
  KeyHash DrawNew() {
    // Some differ only in the half that memory does not keep.
    if (!names_.empty() && Draw(50) == 0) return {DrawKnown().low, random_()};
    return {random_(), random_()};
  }
  KeyHash DrawKnown() { return names_[Draw(names_.size())]; }

  void Advance(std::int64_t ms) {
    now_.value += ms;
    state_->ExpireRefusals(now_);
    std::erase_if(expected_, [this](const auto& entry) {
      return entry.second.until != kNoTime && entry.second.until < now_;
    });
  }
  void Commit() { ASSERT_TRUE(state_->Commit(false).ok()); }
  void Reopen() {
    Commit();
    state_.reset();
    state_ = Open(store_);
  }
  // As a state of a version that has no rows in order of time.
  void ReopenAsOld() {
    Commit();
    state_.reset();
    RemovePlaceRows(store_);
    state_ = Open(store_);
  }

  void ExpectSame(const KeyHash& hash) const {
    const auto found = expected_.find(hash);
    const auto wanted = found == expected_.end() ? std::nullopt : std::optional(found->second);
    ASSERT_TRUE(IsSame(state_->FindRefusal(hash), wanted));
  }
  void ExpectAllSame() const {
    ASSERT_EQ(state_->refusals(), expected_.size());
    for (const KeyHash& hash : names_) ExpectSame(hash);
  }
  void ExpectSameRows() const {
    std::size_t ending = 0;
    for (const auto& [hash, refusal] : expected_) ending += refusal.until != kNoTime;
    ASSERT_EQ(RowsOf(store_, kHashKey), expected_.size());
    ASSERT_EQ(RowsOf(store_, kPlaceKey), ending);
  }

 private:
  std::mt19937_64 random_;
  MemoryStore store_;
  std::unique_ptr<DurableState> state_;
  std::map<KeyHash, Refusal> expected_;
  std::vector<KeyHash> names_;  // all that ever were
  TimeMs now_{1'700'000'000'000};
};

void TakeStep(Pair& pair) {
  const std::uint64_t step = pair.Draw(1000);
  if (step < 700) {
    pair.Refuse(pair.DrawNew(), pair.DrawUntil());
  } else if (step < 800) {
    pair.Refuse(pair.DrawKnown(), pair.DrawUntil());
  } else if (step < 990) {
    pair.ExpectSame(pair.Draw(4) == 0 ? pair.DrawNew() : pair.DrawKnown());
  } else {
    pair.Commit();
  }
  if (step % 20 == 0) pair.Advance(static_cast<std::int64_t>(pair.Draw(60)));
}

TEST(DurableRefusalsTest, HoldTheSameAsAMap) {
  Pair pair(7);
  pair.Refuse(pair.DrawNew(), pair.DrawUntil());
  for (int i = 1; i <= 40'000; ++i) {
    TakeStep(pair);
    if (i % 20'000 == 7000) pair.Advance(9000);  // many at once
    if (i % 10'000 != 0) continue;
    pair.ExpectAllSame();
    i % 20'000 == 0 ? pair.ReopenAsOld() : pair.Reopen();
    pair.ExpectAllSame();
    pair.Commit();
    pair.ExpectSameRows();
  }
}

// From a state without rows in order of time, before anything has been committed.
TEST(DurableRefusalsTest, OfAnOldStateEndInTime) {
  Pair pair(8);
  for (int i = 0; i < 5000; ++i) pair.Refuse(pair.DrawNew(), pair.DrawUntil());
  pair.ReopenAsOld();
  pair.Advance(8001);
  pair.ExpectAllSame();
  pair.Commit();
  pair.ExpectSameRows();
}

// A whole batch begins and ends before it is committed.
TEST(DurableRefusalsTest, EndBeforeTheyAreCommitted) {
  Pair pair(9);
  for (int i = 0; i < 10'000; ++i) pair.Refuse(pair.DrawNew(), pair.DrawUntil());
  pair.Advance(4000);
  pair.ExpectAllSame();
  pair.Advance(30'000);
  pair.ExpectAllSame();
  pair.Commit();
  pair.ExpectSameRows();
}

TEST(DurableRefusalsTest, ADamagedRowIsRefused) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {std::string(kHashKey, 'h'), "short"}, {"odd", std::string(25, '\0')}}) {
    MemoryStore store;
    WriteBatch batch;
    batch.Put(Family::kRefused, key, value);
    ASSERT_TRUE(store.Write(batch, true).ok());
    EXPECT_EQ(DurableState::Open(store, nullptr).status().code(), ErrorCode::kInput);
  }
}

// Every event by a request of its own, which is the dearest case.
TEST(DurableRefusalsTest, TakeTwentyBytesOfMemoryAtMost) {
  constexpr std::int64_t kCount = 100'000;
  std::mt19937_64 random(11);
  MemoryStore store;
  const auto state = Open(store);
  for (std::int64_t i = 1; i <= kCount; ++i) {
    Refusal refusal{.receipt = {}, .forgotten = true, .until = {1'700'000'000'000 + i}};
    refusal.receipt[0] = static_cast<std::uint8_t>(i);
    state->Refuse({random(), random()}, refusal);
    if (i % 1000 != 0) continue;
    ASSERT_TRUE(state->Commit(false).ok());
    if (i < 50'000) continue;  // the smallest table is not small
    const double bytes = static_cast<double>(state->refusal_bytes());
    ASSERT_LT(bytes / static_cast<double>(i), i < kCount ? 26 : 20) << i;
  }
  state->ExpireRefusals({1'700'000'000'000 + kCount + 1});
  EXPECT_EQ(state->refusals(), 0u);
  EXPECT_EQ(state->refusal_bytes(), 0u);
}

}  // namespace
}  // namespace lethe::durable_refusals_test
