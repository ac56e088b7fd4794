#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace lethe {

// Conversions between the project's types and RocksDB's. The views borrow their argument's bytes.
inline rocksdb::Slice Slice(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// `doing` begins the message, for example "reading /var/lib/lethe".
inline Status Convert(const rocksdb::Status& status, const std::string& doing) {
  if (status.ok()) return Status::Ok();
  // These say that a file of RocksDB is missing or has a content that RocksDB never wrote. That is
  // damage, which a second try cannot mend. Everything else is the disk's refusal.
  if (status.IsCorruption() || status.IsPathNotFound() || status.IsNotFound() ||
      status.IsInvalidArgument() || status.IsNotSupported()) {
    return {ErrorCode::kInput,
            doing + ": the state is damaged and was not loaded: " + status.ToString()};
  }
  return {ErrorCode::kDisk, doing + ": " + status.ToString()};
}

}  // namespace lethe
