#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/ports/state.h"
#include "state/index/hash_index.h"
#include "state/store/store.h"

namespace lethe {

// The refusals of a shard whose rows are in a store. Memory holds 64 bits of each hash, which take
// 10 to 20 bytes; the refusal itself is read from its row when a hash matches, which is rare. The
// store also has one row for each refusal in order of the time at which it ends; memory holds the
// next few of them. Changes go into the caller's batch. Borrows the store, which must outlive it.
// Not thread-safe. An error means that a row could not be read: then the caller must not commit.
class DurableRefusals {
 public:
  // `settle` returns when all batches that were committed so far are in the store.
  DurableRefusals(Store& store, std::function<Status()> settle)
      : store_(store), settle_(std::move(settle)) {}

  // Reads all rows. Where the rows in order of time are not those of the refusals, as in a state
  // of an earlier version, `batch` gets the changes that make them so.
  Status Load(WriteBatch& batch);

  Result<std::optional<Refusal>> Find(const KeyHash& hash) const;
  // Replaces the refusal that the hash may have.
  Status Set(const KeyHash& hash, const Refusal& refusal, WriteBatch& batch);
  // Removes the refusals that end before `now`.
  Status Expire(TimeMs now, WriteBatch& batch);
  // The batch with all changes so far has been committed.
  void OnCommitted();

  std::size_t size() const { return table_.size(); }
  // What it takes in memory, apart from changes that are not committed.
  std::size_t bytes() const;

 private:
  // A refusal's place in the order of time.
  using Place = std::pair<TimeMs, KeyHash>;

  static constexpr std::size_t kFewest = 1024;  // places that are read at once
  static constexpr std::size_t kMost = 2 * kFewest;

  bool MayHave(const KeyHash& hash) const;
  void AddPlace(const Place& place);
  // Forgets the later places if there are too many and the store has them.
  void TrimPlaces();
  // The next places from the store and from the changes that it does not have yet.
  Status ReadPlaces();
  Status WriteAllPlaces(WriteBatch& batch) const;

  Store& store_;
  const std::function<Status()> settle_;
  HashIndex table_;  // half of the bits is the tag, half the number
  // Since the last commit; none: removed.
  std::unordered_map<KeyHash, std::optional<Refusal>> fresh_;
  std::set<Place> places_;         // all that are before the horizon
  std::optional<Place> horizon_;   // none: all there are
  bool are_places_stored_ = true;  // false: from Load to the commit that writes them
};

}  // namespace lethe
