#include "connectors/kafka/record_batch.h"

namespace lethe {

namespace {

constexpr std::size_t kLargeMessage = std::size_t{1} << 16;

}  // namespace

Record& RecordBatch::Slot() {
  if (records.size() <= count) records.resize(count + 1);
  return records[count];
}

void RecordBatch::Add(std::optional<std::string_view> key, std::optional<std::string_view> value,
                      std::size_t message_bytes, bool keep_value) {
  if (raw_.size() <= count) raw_.resize(count + 1);
  raw_[count].key = Keep(key);
  raw_[count].value = keep_value ? Keep(value) : Piece{};
  bytes_ += message_bytes;
  has_large_ = has_large_ || message_bytes > kLargeMessage;
  ++count;
}

void RecordBatch::Clear() {
  if (has_large_) {
    // Else every place of every batch would one day hold the buffers of the largest message.
    records = {};
    bytes_of_all_ = {};
    has_large_ = false;
  }
  bytes_of_all_.clear();
  bytes_ = 0;
  count = 0;
}

std::optional<std::string_view> RecordBatch::View(const Piece& piece) const {
  if (!piece.exists) return std::nullopt;
  return std::string_view(bytes_of_all_).substr(piece.at, piece.size);
}

RecordBatch::Piece RecordBatch::Keep(std::optional<std::string_view> bytes) {
  if (!bytes) return {};
  const Piece piece{bytes_of_all_.size(), bytes->size(), true};
  bytes_of_all_.append(*bytes);
  return piece;
}

}  // namespace lethe
