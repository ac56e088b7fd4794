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

// The refusals of a shard, stored in rows. Memory holds 64 bits of each hash, which take 10 to 20
// bytes. The refusal itself is read from its row when a hash matches, which is rare. A second kind
// of row, a place, lists the refusals in order of their end; memory holds the next few places.
// Changes go into the caller's batch. Threads: not thread-safe. Ownership: borrows the store, which
// must outlive it. Failure: an error means that a row could not be read. The caller must then not
// commit, and must not use the object again.
class DurableRefusals {
 public:
  // `settle` waits until all batches that were committed so far are in the store. It is called
  // before every read of the store after Load.
  DurableRefusals(Store& store, std::function<Status()> settle)
      : store_(store), settle_(std::move(settle)) {}

  // Reads all rows. Call it once, before any other method. If the places do not match the refusals,
  // as in a state of an earlier version, adds changes to `batch` that write all places anew.
  Status Load(WriteBatch& batch);

  // The refusal of a hash; none if it has none. Sees changes that are not committed yet.
  Result<std::optional<Refusal>> Find(const KeyHash& hash) const;
  // A hint that Find will be called soon.
  void Prefetch(const KeyHash& hash) const;
  // Sets the refusal of a hash, and replaces an older one.
  Status Set(const KeyHash& hash, const Refusal& refusal, WriteBatch& batch);
  // Removes all refusals that end before `now`.
  Status Expire(TimeMs now, WriteBatch& batch);
  // To be called when the batch with all changes so far has been committed, or handed to a writer
  // that `settle` waits for.
  void OnCommitted();

  std::size_t size() const { return table_.size(); }
  // Memory used, without the uncommitted changes.
  std::size_t bytes() const;

 private:
  // A refusal's place in the order of time.
  using Place = std::pair<TimeMs, KeyHash>;

  // How many places a read fetches, and a trim keeps.
  static constexpr std::size_t kFewest = 1024;
  static constexpr std::size_t kMost = 2 * kFewest;

  // False: there is no such refusal. True: there nearly always is.
  bool MayHave(const KeyHash& hash) const;
  // Keeps a place if it is before the horizon.
  void AddPlace(const Place& place);
  // Drops the later places from memory if there are more than kMost and the store has them.
  void TrimPlaces();
  // Reads the next places, from the horizon on, from the store and from the uncommitted changes.
  Status ReadPlaces();
  Status WriteAllPlaces(WriteBatch& batch) const;

  Store& store_;
  const std::function<Status()> settle_;
  HashIndex table_;  // the low 32 bits of a hash are the tag, the next 32 the number
  // Changes since the last commit. None: the refusal was removed.
  std::unordered_map<KeyHash, std::optional<Refusal>> fresh_;
  std::set<Place> places_;         // all places before the horizon
  std::optional<Place> horizon_;   // none: places_ has all places
  bool are_places_stored_ = true;  // false from Load until the commit that writes them anew
};

}  // namespace lethe
