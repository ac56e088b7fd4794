#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/shard/receipt.h"

namespace lethe {

// What an earlier run of the same stream did at a moment that only its clock could choose, or that
// depended on such a choice.
struct RecordedDecision {
  enum class Kind {
    kServe,  // requests took effect together
    kErase,  // the clock decided on an erasure
    kSlide,  // the clock slid a window in time
  };
  Kind kind = Kind::kServe;
  std::string place;  // of the entry that says so, for errors
  Offset offset;      // the last record before it, or the record at which it was
  TimeMs time = kNoTime;
  EventIndex before;  // kSlide only: the new anchor
  // kServe only.
  std::int64_t index = 0;
  ModelVersion model_version;
  EffectiveBy by = EffectiveBy::kStream;
  std::vector<Offset> received;  // the records of the requests, in order
};

// The decisions of one shard, from the chain of its receipts and notices, in the order of the
// chain. A replay that obeys them has the same chain. The shard takes each one out when it has
// obeyed it. A value type.
class RecordedDecisions {
 public:
  // `place` stands for the end of the recorded chain, for errors.
  explicit RecordedDecisions(std::string place) : end_(std::move(place)) {}

  void Add(RecordedDecision decision) { decisions_.push_back(std::move(decision)); }
  // A notice says that the request of this record was received, and so it had to wait.
  void AddWait(Offset received, std::string place) { waits_.emplace(received, std::move(place)); }
  // A notice says when this record arrived, because its timestamp lay in the future.
  void AddArrival(Offset offset, TimeMs arrival) { arrivals_.emplace(offset, arrival); }

  // The next decision; null if there is none.
  const RecordedDecision* next() const {
    return decisions_.empty() ? nullptr : &decisions_.front();
  }
  void Pop() { decisions_.pop_front(); }
  // Whether the request of this record had to wait. Takes the notice out.
  bool TakeWait(Offset received) { return waits_.erase(received) > 0; }
  TimeMs ArrivalAt(Offset offset) const {
    const auto found = arrivals_.find(offset);
    return found == arrivals_.end() ? kNoTime : found->second;
  }

  // Fails (kInput) if something is left of the time before this record: the stream or the
  // configuration is another one than that of the receipts.
  Status CheckBefore(Offset record) const;
  // As CheckBefore, at the end of the stream.
  Status CheckEnd() const;
  const std::string& end() const { return end_; }

 private:
  std::string end_;
  std::deque<RecordedDecision> decisions_;
  std::map<Offset, std::string> waits_;
  std::map<Offset, TimeMs> arrivals_;
};

}  // namespace lethe
