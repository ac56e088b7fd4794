#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "connectors/binary/file_reader.h"
#include "connectors/file/decoded_input.h"
#include "connectors/file/line_reader.h"
#include "connectors/json/event_codec.h"
#include "engine/ports/source.h"

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
// What the records are does not depend on the limits passed to Read. Not thread-safe.
class RecordedStream final : public Source {
 public:
  // Fails with kInput when the file cannot be opened. What it holds is seen by Read only. The limit
  // on lines does not concern the binary form, whose limit is that of BinaryEventCodec.
  static Result<std::unique_ptr<RecordedStream>> Open(
      const std::string& path, std::size_t max_line_bytes = LineReader::kDefaultMaxLineBytes);

  // See Source. A stream without any record is a kInput error: it is more likely the wrong file.
  // The records before an error are delivered first. The error then stays.
  Result<std::size_t> Read(std::vector<Record>& batch, std::size_t limit) override;

  // The three steps of Read, for threads that share the stream: ReadRaw and Place by one at a time
  // and in the same order, Decode, of each record, by any. Place says how many of the records are
  // valid; the same goes for what ReadRaw returns, and 0 is the end. A Raw is reused.
  class Raw;
  Result<std::size_t> ReadRaw(Raw& raw, std::size_t limit);
  static void Decode(Raw& raw, std::size_t i, Record& record);
  // Instead of Decode, whether it is a learn as most are. Then `record` says where it stood, and
  // that it is a learn, and what it says is in `learn`, borrowed from `raw`, and maybe in `x`.
  static bool ReadPlainLearn(const Raw& raw, std::size_t i, Record& record, std::vector<double>& x,
                             PlainLearn& learn);
  Result<std::size_t> Place(const Raw& raw, std::vector<Record>& batch);
  // What Place would say after the end.
  const Status& misplaced() const { return misplaced_; }

  // Whether these are bare events: no line so far has said a place or time, or the binary form was
  // made from such lines. Means nothing before the first record.
  bool is_bare() const { return is_bare_; }
  bool is_binary() const { return binary_ != nullptr; }

  // For a display of progress: bytes of the file used, in total (unknown for a pipe), and lines or
  // records.
  std::int64_t bytes_read() const { return progress_.bytes_read(); }
  std::optional<std::int64_t> bytes_total() const { return progress_.bytes_total(); }
  std::int64_t line_number() const { return line_number_; }

  // About how many records there are in all, judged by those read so far; 0: nobody knows.
  std::int64_t ExpectedRecords() const;

 private:
  // A record as it stands in the file.
  struct Piece {
    std::string_view bytes;
    std::int64_t number = 0;  // of the line or record
    // Of the binary form, where they stand outside of the message. A line says none, or in itself.
    ShardId shard;
    Offset offset;
    TimeMs timestamp;
    TimeMs arrival;

    void PutPlace(Record& record) const {
      record.shard = shard;
      record.offset = offset;
      record.timestamp = timestamp;
      record.arrival = arrival;
    }
  };

  struct Shard {
    std::int64_t next = 0;   // the running number
    std::int64_t last = -1;  // the last offset that is certain
  };

  RecordedStream(std::unique_ptr<DecodedInput> input, std::size_t max_line_bytes);

  // Finds out the form.
  Status Start();
  Status AtBeginning(const Status& error) const;
  Result<bool> ReadPiece(Raw& raw);
  Result<bool> ReadMessage(Piece& piece);
  Result<bool> ReadLine(Piece& piece);
  Status Locate(Record& record);
  Shard& ShardOf(ShardId id);
  Status NotIncreasing(const std::string& what) const;

  std::unique_ptr<DecodedInput> input_;  // until the form is known
  const DecodedInput& progress_;         // the same, wherever it is
  std::unique_ptr<LineReader> lines_;
  std::unique_ptr<BinaryFileReader> binary_;
  const std::size_t max_line_bytes_;
  std::unordered_map<std::int64_t, Shard> shards_;
  std::int64_t last_id_ = -1;     // the key of last_shard_
  Shard* last_shard_ = nullptr;   // most records follow one of their shard
  std::int64_t line_number_ = 0;  // of the record that was placed last
  bool is_bare_ = true;
  std::int64_t records_read_ = 0;
  Status failed_;             // reading
  Status misplaced_;          // placing
  std::unique_ptr<Raw> raw_;  // of Read
  Record place_;              // of the record at hand
};

// Records as they stand in the file, and what decodes them.
class RecordedStream::Raw {
 public:
  std::size_t count() const { return pieces_.size(); }

 private:
  friend class RecordedStream;
  // Bounds the memory, with lines of any length.
  static constexpr std::size_t kMaxHeld = 3;

  std::vector<Piece> pieces_;
  std::vector<std::shared_ptr<DecodedInput::Buffer>> held_;  // where they stand
  bool is_binary_ = false;
  std::unique_ptr<JsonEventCodec> json_;
  BinaryEventCodec binary_;
};

}  // namespace lethe
