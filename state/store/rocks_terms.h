#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace lethe {

// Between our terms and RocksDB's.
inline rocksdb::Slice Slice(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

inline Status Convert(const rocksdb::Status& status, const std::string& doing) {
  if (status.ok()) return Status::Ok();
  // A file that RocksDB has written and that is not there, or says what it never wrote, is damage;
  // what the disk refuses may be tried again.
  if (status.IsCorruption() || status.IsPathNotFound() || status.IsNotFound() ||
      status.IsInvalidArgument() || status.IsNotSupported()) {
    return {ErrorCode::kInput,
            doing + ": the state is damaged and was not loaded: " + status.ToString()};
  }
  return {ErrorCode::kDisk, doing + ": " + status.ToString()};
}

}  // namespace lethe
