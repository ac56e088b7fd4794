#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "connectors/batch_source.h"
#include "connectors/binary/file_reader.h"
#include "connectors/file/decoded_input.h"
#include "connectors/file/line_reader.h"

namespace lethe {

// A BatchSource that reads a recording: NDJSON or the binary form, plain, gzip or Zstandard, from a
// file or, for "-", from the standard input. The first bytes decide the form.
//
// Each line of NDJSON is a bare event of shard 0 or an envelope. A record whose line states no
// offset gets the running number of its shard: one more than the record before it, from 0. A line
// that cannot be decoded is a record with a rejection whose message begins with the line number. If
// its position cannot be read either, it gets the running number of shard 0, and a later record
// that states the same offset is still accepted.
//
// Stated offsets must increase within a shard; in the binary form every record states one. If they
// do not increase, the recording is damaged or was put together wrongly: Locate fails with kInput
// and the line or record. Read fails with kInput when the file is truncated or corrupt.
//
// The records do not depend on the batch size. Read must be called serially, and so must Locate,
// for the same batches in the same order; Read and Locate may run in two threads at once.
// bytes_read belongs to the thread of Read; is_bare and line_number belong to the thread of Locate.
// Batches share the buffers of the stream (MessageBatch::Hold) until Read clears them. Errors are
// final.
class RecordedStream final : public BatchSource {
 public:
  // kInput when the file cannot be opened. Its contents are first looked at by Read. The limit
  // applies to lines only; the limit of a binary record is that of BinaryEventCodec.
  static Result<std::unique_ptr<RecordedStream>> Open(
      const std::string& path, std::size_t max_line_bytes = LineReader::kDefaultMaxLineBytes);

  // The largest number of records that Read puts into a batch.
  void SetBatchSize(std::size_t records) { batch_size_ = records; }

  // See BatchSource. A recording without records is a kInput error, because it is probably the
  // wrong file. The records before an error are delivered first.
  Result<bool> Read(MessageBatch& batch) override;
  Status Locate(MessageBatch& batch) override;

  // Reads, decodes and locates up to `limit` records at once, as an alternative to Read and Locate.
  // Fills the beginning of `records`, whose old contents are reused as buffers, and returns how
  // many are valid; 0 is the end.
  Result<std::size_t> ReadRecords(std::vector<Record>& records, std::size_t limit);

  // Whether the recording holds bare events: no line so far has stated a position, or the binary
  // form was made from such lines. Valid after the first record.
  bool is_bare() const { return is_bare_; }
  bool is_binary() const { return binary_ != nullptr; }

  // For a progress display: bytes of the file used, its size (unknown for a pipe), and the number
  // of the last line or record.
  std::int64_t bytes_read() const { return progress_.bytes_read(); }
  std::optional<std::int64_t> bytes_total() const { return progress_.bytes_total(); }
  std::int64_t line_number() const { return line_number_; }

  // An estimate, made from the first batch. Thread-safe.
  std::int64_t ExpectedMessages() const override { return expected_; }

 private:
  struct Shard {
    std::int64_t next = 0;   // the running number
    std::int64_t last = -1;  // the last offset that was stated, or given to a readable record
  };

  RecordedStream(std::unique_ptr<DecodedInput> input, std::size_t max_line_bytes);

  // Finds out the form, and creates the reader for it.
  Status Start();
  Status AtBeginning(const Status& error) const;
  // Adds the next record to the batch. False at the end.
  Result<bool> ReadOne(MessageBatch& batch);
  std::int64_t ExpectedRecords() const;
  Result<bool> ReadBinary(MessageBatch& batch);
  Result<bool> ReadLine(MessageBatch& batch);
  Status LocateOne(MessageBatch& batch, std::size_t i);
  Shard& ShardOf(ShardId id);
  Status NotIncreasing(const std::string& what) const;

  std::unique_ptr<DecodedInput> input_;  // until the form is known; then the reader owns it
  const DecodedInput& progress_;         // the same input
  std::unique_ptr<LineReader> lines_;
  std::unique_ptr<BinaryFileReader> binary_;
  const std::size_t max_line_bytes_;
  std::size_t batch_size_ = 1024;
  std::unordered_map<std::int64_t, Shard> shards_;
  std::int64_t last_id_ = -1;     // the key of last_shard_
  Shard* last_shard_ = nullptr;   // most records have the shard of the record before
  std::int64_t line_number_ = 0;  // of the record that was located last
  bool is_bare_ = true;
  std::int64_t records_read_ = 0;
  std::atomic<std::int64_t> expected_ = 0;  // an estimate of all records
  Status failed_;                           // the error of Read
  Status misplaced_;                        // the error of Locate
  MessageBatch batch_;                      // used by ReadRecords
  Record place_;                            // the position of the current binary record
};

}  // namespace lethe
