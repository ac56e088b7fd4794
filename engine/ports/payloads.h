#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "engine/base/types.h"
#include "engine/ports/example.h"

namespace lethe {

// Consecutive retained events with dense features. The spans are borrowed and valid during the
// visit; after PinInMemory they stay valid until the payloads change.
struct PayloadBlock {
  std::span<const EventIndex> indices;
  std::span<const double> y;
  std::span<const double> x;  // row-major: one row of features per event, all of one length
  std::span<const double> w;  // the importance weights
};

// The features and labels of the retained events of one shard, for the modes that compute on them.
// A deletion removes a payload at once, before the model forgets the event. Not thread-safe: the
// shard's own thread uses it. The shard borrows it. No call returns an error; an implementation on
// disk reports a failed read or write from State::Commit.
class Payloads {
 public:
  using Visitor = std::function<void(EventIndex index, const Example& example)>;
  using BlockVisitor = std::function<void(const PayloadBlock& block)>;

  virtual ~Payloads() = default;

  // Adds the payload of an event. Indices must increase from call to call.
  virtual void Add(EventIndex index, const Example& example) = 0;
  virtual void Remove(EventIndex index) = 0;
  // Removes the payloads of all events before `index`. A window is defined by position and never by
  // count: a window that readmitted an older event after a deletion would reveal the deletion.
  virtual void DropBefore(EventIndex index) = 0;

  // Visits the retained events in order of index. The example is valid during the call only.
  void ForEach(const Visitor& visit) const { ForEachFrom({0}, visit); }
  // Visits the retained events from `first` on, in order of index.
  void ForEachFrom(EventIndex first, const Visitor& visit) const {
    ForEachIn(first, {std::numeric_limits<std::int64_t>::max()}, visit);
  }
  // Visits the retained events from `first` on and before `end`, in order of index.
  virtual void ForEachIn(EventIndex first, EventIndex end, const Visitor& visit) const = 0;
  // Visits the retained events in order of index, many per call, for computations that make
  // hundreds of passes. Dense features only. No block is empty. Block sizes depend on earlier
  // deletions, so a result must not depend on them.
  virtual void ForEachBlock(const BlockVisitor& visit) const = 0;
  // Pins all payloads in memory as doubles, so that the pointers of blocks stay valid until the
  // next Add, Remove or DropBefore.
  virtual void PinInMemory() = 0;
  // Keeps all payloads in memory from now on, in their compact form, so that visits need no disk.
  // Once bytes() exceeds `most_bytes`, they are no longer kept.
  virtual void KeepInMemory(std::int64_t /*most_bytes*/) {}
  virtual std::int64_t count() const = 0;
  // The size of all payloads at eight bytes per number. The memory in use may be less.
  virtual std::int64_t bytes() const = 0;
};

}  // namespace lethe
