#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/base/types.h"
#include "engine/ports/example.h"

namespace lethe {

// Consecutive retained events of dense features. Borrowed for the visit.
struct PayloadBlock {
  std::span<const EventIndex> indices;
  std::span<const double> y;
  std::span<const double> x;  // row after row, all of one length
};

// What the retained events of a shard said, for the modes that compute on them. Part of the state:
// a deletion removes a payload before anything else happens to it. Not thread-safe.
class Payloads {
 public:
  using Visitor = std::function<void(EventIndex index, const Example& example)>;
  using BlockVisitor = std::function<void(const PayloadBlock& block)>;

  virtual ~Payloads() = default;

  // Indices come in increasing order.
  virtual void Add(EventIndex index, const Example& example) = 0;
  virtual void Remove(EventIndex index) = 0;
  // Everything before `index` leaves, by position and never by count: a window that let older
  // events back in after a deletion would remember it.
  virtual void DropBefore(EventIndex index) = 0;

  // Visits what is retained, in order of index.
  virtual void ForEach(const Visitor& visit) const = 0;
  // The same in blocks, for passes that are made by the hundred. Dense features only. No block is
  // empty; how many events one has depends on what was deleted, and must not change a result.
  virtual void ForEachBlock(const BlockVisitor& visit) const = 0;
  // For whoever goes back to rows after the visit: from now on blocks are good until the payloads
  // change, which takes more memory.
  virtual void PinInMemory() = 0;
  virtual std::int64_t count() const = 0;
  // What they say, in eight bytes a number; memory may need less.
  virtual std::int64_t bytes() const = 0;
};

}  // namespace lethe
