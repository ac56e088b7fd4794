#include "engine/modes/checkpoints.h"

#include <algorithm>
#include <bit>

#include "engine/base/check.h"

namespace lethe {
namespace {

constexpr std::int64_t kLeastDistance = 64;
constexpr std::int64_t kEven = 16;  // copies at even distances, at most
constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;

std::int64_t PowerOfTwo(std::int64_t least) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least)));
}

}  // namespace

// To copy a weight takes about a third of the time of learning an event with one feature. The
// ladder copies more often than the even distances do, so its steps are longer.
Checkpoints::Checkpoints(Eigen::Index weights)
    : least_(PowerOfTwo(std::max<std::int64_t>(kLeastDistance, weights / 3))),
      ladder_(PowerOfTwo(std::max<std::int64_t>(kLeastDistance, 2 * weights))),
      bytes_of_copy_(static_cast<std::int64_t>(sizeof(OnlineRun)) + 8 * weights) {}

bool Checkpoints::IsKept(std::int64_t position, std::int64_t end) const {
  const std::int64_t even = std::max(least_, PowerOfTwo((end + kEven - 1) / kEven));
  if (position % even == 0) return true;
  const std::int64_t largest_factor = position & -position;
  return largest_factor >= ladder_ && position + 2 * largest_factor > end;
}

void Checkpoints::Keep(const OnlineRun& run) {
  const std::int64_t end = run.ledger().steps();
  if (!IsKept(end, end) || bytes_of_copy_ > kMostBytes) return;
  LETHE_CHECK(copies_.empty() || copies_.back().ledger().steps() < end);
  std::erase_if(copies_,
                [&](const OnlineRun& copy) { return !IsKept(copy.ledger().steps(), end); });
  if (bytes() + bytes_of_copy_ > kMostBytes) copies_.erase(copies_.begin());
  copies_.push_back(run);
}

const OnlineRun* Checkpoints::Newest(std::int64_t steps) const {
  for (auto copy = copies_.rbegin(); copy != copies_.rend(); ++copy) {
    if (copy->ledger().steps() <= steps) return &*copy;
  }
  return nullptr;
}

void Checkpoints::DropAfter(std::int64_t steps) {
  while (!copies_.empty() && copies_.back().ledger().steps() > steps) copies_.pop_back();
}

}  // namespace lethe
