#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "connectors/binary/event_codec.h"
#include "connectors/binary/file_format.h"
#include "connectors/binary/file_index.h"
#include "connectors/binary/wire.h"
#include "connectors/file/decoded_input.h"
#include "engine/event.h"
#include "engine/status.h"

namespace lethe {

// Reads a binary recording from its beginning to its end, or from one of its blocks.
//
// A block is checked as a whole before any of its records is delivered, and at the end the index
// and the footer must say what was read. So every changed, lost or added byte is a kInput error,
// with the name, the byte (of the recording, after decompression) and the record it was found at.
// Records count from 1. Not thread-safe.
class BinaryFileReader {
 public:
  // The input must be at the beginning of the recording.
  explicit BinaryFileReader(std::unique_ptr<DecodedInput> input);

  // Goes to a record of a plain file: what Next reads first. `index` is that of the file, and
  // `record` is below index.records(), from 0.
  static Result<std::unique_ptr<BinaryFileReader>> OpenAt(const std::string& path,
                                                          const BinaryFileIndex& index,
                                                          std::uint64_t record);

  // Returns false at the end. A message that the codec refuses is a record with a rejection, whose
  // message begins with the number of the record: its bytes are as they were written. The records
  // of whole blocks before an error are delivered first.
  Result<bool> Next(Record& record);

  // Likewise, but only the place in `record` is set, and the message, valid until the next call, is
  // not decoded.
  Result<bool> NextMessage(Record& record, std::string_view& message);

  // Of the record that Next read last.
  std::uint64_t record_number() const { return record_number_; }

  // Bytes of the recording up to there.
  std::int64_t position() const {
    return input_->position() + static_cast<std::int64_t>(block_bytes_ - block_.size());
  }

  // What the header says; valid after the first Next.
  const binary_file::FileHeader& header() const { return header_; }

  const std::string& name() const { return input_->name(); }

 private:
  Status ReadHeader();
  // Returns false when the index stands where a block could.
  Result<bool> ReadBlock();
  Status ReadEnd();
  Status SkipTo(const BinaryFileIndex& index, std::size_t block, std::uint64_t record);

  // The error, with the place where the part at hand begins.
  Status Damaged(const std::string& what) const;
  Status Truncated() const;
  // An error of the input below.
  Status At(const Status& error) const;
  // Reads until `count` bytes are there. Fewer are a truncated file.
  Status Require(std::size_t count);
  void AddToIndex(const binary_file::IndexEntry& entry);

  const std::unique_ptr<DecodedInput> input_;
  BinaryEventCodec codec_;
  binary_file::FileHeader header_;
  bool is_started_ = false;
  bool is_ended_ = false;

  std::string_view block_;            // what is left of the block at hand, within the input
  std::size_t block_bytes_ = 0;       // of the block at hand, to be consumed behind it
  std::uint32_t block_records_ = 0;   // that are left
  std::uint64_t record_number_ = 0;   // delivered so far
  std::uint32_t index_checksum_ = 0;  // of the index that the blocks so far should have
  std::uint64_t blocks_ = 0;
};

}  // namespace lethe
