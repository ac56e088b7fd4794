#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/event.h"

namespace lethe {

// Records of one partition that were decoded together, with the raw bytes they were made from.
struct RecordBatch {
  static constexpr std::size_t kMaxRecords = 256;
  // Also ends a batch, so that a ring of large messages does not fill the memory.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  std::vector<Record> records;  // the first `count` are valid, the buffers of the rest are reused
  std::size_t count = 0;
  std::int64_t decoded_ns = 0;  // when the first request was, by the monotonic clock

  // The raw key and value of record i, for dead letters; valid as long as the batch is. A value
  // is not kept, and none here, when ConsumerOptions::keep_values is off.
  std::optional<std::string_view> key(std::size_t i) const { return View(raw_[i].key); }
  std::optional<std::string_view> value(std::size_t i) const { return View(raw_[i].value); }

  // For the reader that fills it: the record to fill next; then its raw bytes, which add it.
  Record& Slot();
  void Add(std::optional<std::string_view> key, std::optional<std::string_view> value,
           std::size_t message_bytes, bool keep_value);
  bool IsFull() const { return count >= kMaxRecords || bytes_ >= kMaxBytes; }
  // Empties it for reuse.
  void Clear();

 private:
  struct Piece {
    std::size_t at = 0;
    std::size_t size = 0;
    bool exists = false;
  };
  struct Raw {
    Piece key, value;
  };

  std::optional<std::string_view> View(const Piece& piece) const;
  Piece Keep(std::optional<std::string_view> bytes);

  std::string bytes_of_all_;
  std::vector<Raw> raw_;
  std::size_t bytes_ = 0;   // of the messages, kept or not
  bool has_large_ = false;  // a message whose buffers are too large to keep for ever
};

}  // namespace lethe
