#pragma once

#include <string_view>

#include "app/replay/recorded_chain.h"
#include "app/replay/result_files.h"
#include "engine/ports/sink.h"

namespace lethe {

// A sink that writes receipts and notices to the result files, if there are result files, and
// compares them with the recorded ones, if there are any. Borrows both. Not thread-safe.
class FileSink final : public Sink {
 public:
  explicit FileSink(ResultFiles* files) : files_(files) {}
  void CompareWith(RecordedChain* recorded) { recorded_ = recorded; }

  Status Publish(ShardId shard, ChainKind kind, std::string_view bytes) override {
    if (recorded_ != nullptr) LETHE_RETURN_IF_ERROR(recorded_->Compare(shard, bytes));
    if (files_ == nullptr) return Status::Ok();
    return (kind == ChainKind::kReceipt ? files_->receipts() : files_->notices()).WriteLine(bytes);
  }

 private:
  ResultFiles* files_;
  RecordedChain* recorded_ = nullptr;
};

}  // namespace lethe
