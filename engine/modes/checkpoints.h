#pragma once

#include <cstdint>
#include <vector>

#include "engine/learning/online_run.h"

namespace lethe {

// Copies of a run at some of its positions, in memory. A deletion continues from the newest copy
// that has not learned the deleted event, instead of from the beginning of the run.
//
// About sixteen copies lie at even distances. Near the end of the run they are denser: for each
// power of two from the least distance on, the last two of its multiples are kept, so that the
// deletion of a recent event is cheap. The least distance grows with the number of weights, since a
// copy costs as much as learning some events, and all copies together take at most 64 MB.
//
// A copy holds the whole run, so a run that continues from it has the bits of one that was never
// interrupted. Not thread-safe. It owns the copies. No call fails.
class Checkpoints {
 public:
  explicit Checkpoints(Eigen::Index weights);

  // Copies the run if it is at a position that is kept. Call it after each step.
  void Offer(const OnlineRun& run) {
    if ((run.ledger().steps() & (least_ - 1)) == 0) Keep(run);
  }
  // The newest copy with at most this many steps; null if there is none. Borrowed until the next
  // change.
  const OnlineRun* Newest(std::int64_t steps) const;
  // Destroys the copies with more steps than this.
  void DropAfter(std::int64_t steps);
  void Clear() { copies_.clear(); }

  std::int64_t bytes() const { return static_cast<std::int64_t>(copies_.size()) * bytes_of_copy_; }

 private:
  void Keep(const OnlineRun& run);
  bool IsKept(std::int64_t position, std::int64_t end) const;

  std::int64_t least_;   // between two copies at even distances; a power of two
  std::int64_t ladder_;  // the least distance near the end of the run; a power of two
  std::int64_t bytes_of_copy_;
  std::vector<OnlineRun> copies_;  // in order of their steps
};

}  // namespace lethe
