#include "engine/shard/recorded_decisions.h"

#include <limits>

namespace lethe {
namespace {

constexpr char kRemedy[] =
    ". Give the replay the stream and the configuration that these receipts were written with";

}  // namespace

Status RecordedDecisions::CheckBefore(Offset record) const {
  if (const RecordedDecision* left = next(); left != nullptr && left->offset < record) {
    return {ErrorCode::kInput, left->place + ": says what took effect at offset " +
                                   std::to_string(left->offset.value) +
                                   (left->kind == RecordedDecision::Kind::kServe
                                        ? " and index " + std::to_string(left->index)
                                        : std::string()) +
                                   ", and the replay did not come to that" + kRemedy};
  }
  if (!waits_.empty() && waits_.begin()->first < record) {
    return {ErrorCode::kInput, waits_.begin()->second +
                                   ": says that a request waited from offset " +
                                   std::to_string(waits_.begin()->first.value) +
                                   " on, and the replay has none there" + kRemedy};
  }
  return Status::Ok();
}

Status RecordedDecisions::CheckEnd() const {
  return CheckBefore({std::numeric_limits<std::int64_t>::max()});
}

}  // namespace lethe
