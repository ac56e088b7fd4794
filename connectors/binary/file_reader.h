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

// Reads a binary recording from its beginning to its end.
//
// A block is checked as a whole before any of its records is delivered, and at the end the footer
// must say how many records were read. So every changed, lost or added byte is a kInput error,
// with the name, the byte (of the recording, after decompression) and the record it was found at.
// Records count from 1. Not thread-safe.
class BinaryFileReader {
 public:
  // The input must be at the beginning of the recording.
  explicit BinaryFileReader(std::unique_ptr<DecodedInput> input);

  // Returns false at the end. A message that the codec refuses is a record with a rejection, whose
  // message begins with the number of the record: its bytes are as they were written. The records
  // of whole blocks before an error are delivered first.
  Result<bool> Next(Record& record);

  // Sets only the place in `record`, and does not decode the message, which is valid until the next
  // call.
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
  // Returns false when the footer stands where a block could.
  Result<bool> ReadBlock();
  Status ReadEnd();

  // The error, with the place where the part at hand begins.
  Status Damaged(const std::string& what) const;
  Status Truncated() const;
  // An error of the input below.
  Status At(const Status& error) const;
  // Reads until `count` bytes are there. Fewer are a truncated file.
  Status Require(std::size_t count);

  const std::unique_ptr<DecodedInput> input_;
  BinaryEventCodec codec_;
  binary_file::FileHeader header_;
  bool is_started_ = false;
  bool is_ended_ = false;

  std::string_view block_;           // what is left of the block at hand, within the input
  std::size_t block_bytes_ = 0;      // of the block at hand, to be consumed behind it
  std::uint32_t block_records_ = 0;  // that are left
  std::uint64_t record_number_ = 0;  // delivered so far
};

}  // namespace lethe
