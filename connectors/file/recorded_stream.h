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

// A recorded stream as a source: NDJSON or the binary form, plain, gzip or Zstandard, from a file
// or, for "-", from the standard input. The forms are told apart by their first bytes.
//
// Each line of NDJSON is a bare event (of shard 0) or an envelope. An offset that a line does not
// give is the running number within its shard: one more than the record before has, from 0. A line
// that cannot be decoded is a record with a rejection, whose message begins with the line number.
// When its place cannot be read either, it takes the running number in shard 0 without using it up:
// a readable record may have the same offset.
//
// Offsets that are given, and in the binary form all are, must increase within a shard. If they do
// not, the recording is damaged or put together wrongly, and Read fails with the line or record, as
// for a file that is truncated or corrupt.
//
// What the records are does not depend on how many are read at a time. Not thread-safe, but Read
// and Locate may be called by two threads at once.
class RecordedStream final : public BatchSource {
 public:
  // Fails with kInput when the file cannot be opened. What it holds is seen by Read only. The limit
  // on lines does not concern the binary form, whose limit is that of BinaryEventCodec.
  static Result<std::unique_ptr<RecordedStream>> Open(
      const std::string& path, std::size_t max_line_bytes = LineReader::kDefaultMaxLineBytes);

  // How many records Read puts into a batch at most.
  void SetBatchSize(std::size_t records) { batch_size_ = records; }

  // See BatchSource. A stream without any record is a kInput error: it is more likely the wrong
  // file. The records before an error are delivered first. The error then stays.
  Result<bool> Read(MessageBatch& batch) override;
  Status Locate(MessageBatch& batch) override;

  // The next records, decoded and located: fills `records`, whose old contents are reused as
  // buffers, and returns how many are valid. 0 is the end of the stream.
  Result<std::size_t> ReadRecords(std::vector<Record>& records, std::size_t limit);

  // Whether these are bare events: no line so far has said a place or time, or the binary form was
  // made from such lines. Means nothing before the first record.
  bool is_bare() const { return is_bare_; }
  bool is_binary() const { return binary_ != nullptr; }

  // For a display of progress: bytes of the file used, in total (unknown for a pipe), and lines or
  // records.
  std::int64_t bytes_read() const { return progress_.bytes_read(); }
  std::optional<std::int64_t> bytes_total() const { return progress_.bytes_total(); }
  std::int64_t line_number() const { return line_number_; }

  // Judged by the first batch.
  std::int64_t ExpectedMessages() const override { return expected_; }

 private:
  struct Shard {
    std::int64_t next = 0;   // the running number
    std::int64_t last = -1;  // the last offset that is certain
  };

  RecordedStream(std::unique_ptr<DecodedInput> input, std::size_t max_line_bytes);

  // Finds out the form.
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

  std::unique_ptr<DecodedInput> input_;  // until the form is known
  const DecodedInput& progress_;         // the same, wherever it is
  std::unique_ptr<LineReader> lines_;
  std::unique_ptr<BinaryFileReader> binary_;
  const std::size_t max_line_bytes_;
  std::size_t batch_size_ = 1024;
  std::unordered_map<std::int64_t, Shard> shards_;
  std::int64_t last_id_ = -1;     // the key of last_shard_
  Shard* last_shard_ = nullptr;   // most records follow one of their shard
  std::int64_t line_number_ = 0;  // of the record that was placed last
  bool is_bare_ = true;
  std::int64_t records_read_ = 0;
  std::atomic<std::int64_t> expected_ = 0;  // records in all, judged by the first batch
  Status failed_;                           // reading
  Status misplaced_;                        // placing
  MessageBatch batch_;                      // of ReadRecords
  Record place_;                            // where the record at hand stands in a binary recording
};

}  // namespace lethe
