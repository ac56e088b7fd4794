#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <string>
#include <string_view>

#include "engine/status.h"

namespace lethe {

// Between our terms and RocksDB's.
inline rocksdb::Slice Slice(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

inline Status Convert(const rocksdb::Status& status, const std::string& doing) {
  if (status.ok()) return Status::Ok();
  if (status.IsCorruption()) {
    return {ErrorCode::kInput,
            doing + ": the state is damaged and was not loaded: " + status.ToString()};
  }
  return {ErrorCode::kDisk, doing + ": " + status.ToString()};
}

}  // namespace lethe
