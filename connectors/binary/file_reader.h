#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "connectors/binary/event_codec.h"
#include "connectors/binary/file_format.h"
#include "connectors/binary/wire.h"
#include "connectors/file/decoded_input.h"
#include "engine/base/status.h"
#include "engine/ports/event.h"

namespace lethe {

// A reader of a binary recording, from its beginning to its end.
//
// The checksum of a block is verified before any of its records is returned, and the footer must
// state the number of records read. So a changed, lost or added byte is found, and is a kInput
// error with the name, the byte (of the decompressed recording) and the record, counted from 1. Not
// thread-safe. Owns its input. After an error it must not be read again.
class BinaryFileReader {
 public:
  // The input must be at the beginning of the recording.
  explicit BinaryFileReader(std::unique_ptr<DecodedInput> input);

  // Reads the next record. Returns false at the end. A message that the codec rejects is a record
  // with a rejection, whose text begins with the number of the record; it is not an error, because
  // the bytes are as they were written. The records of all blocks before a damaged one are returned
  // first.
  Result<bool> Next(Record& record);

  // The same without decoding: sets only the position in `record`. `message` is valid until the
  // next call, or longer with DecodedInput::holder.
  Result<bool> NextMessage(Record& record, std::string_view& message);

  // The number of the record that was read last; 0 before the first.
  std::uint64_t record_number() const { return record_number_; }

  // The number of bytes of the decompressed recording up to that record's end.
  std::int64_t position() const {
    return input_->position() + static_cast<std::int64_t>(block_bytes_ - block_.size());
  }

  // The header of the file. Valid after the first record was read.
  const binary_file::FileHeader& header() const { return header_; }

  const std::string& name() const { return input_->name(); }

 private:
  Status ReadHeader();
  // Reads the next block. Returns false if the footer comes instead.
  Result<bool> ReadBlock();
  Status ReadEnd();

  // A kInput error with the position at which the current part begins.
  Status Damaged(const std::string& what) const;
  Status Truncated() const;
  // An error of the input, with the position.
  Status At(const Status& error) const;
  // Reads until `count` bytes are pending. If the file has fewer, it is truncated.
  Status Require(std::size_t count);

  const std::unique_ptr<DecodedInput> input_;
  BinaryEventCodec codec_;
  binary_file::FileHeader header_;
  bool is_started_ = false;
  bool is_ended_ = false;

  std::string_view block_;           // the unread part of the current block, in the input's buffer
  std::size_t block_bytes_ = 0;      // the size of the current block, consumed before the next one
  std::uint32_t block_records_ = 0;  // records left in it
  std::uint64_t record_number_ = 0;  // records returned so far
};

}  // namespace lethe
