#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "connectors/file/line_reader.h"
#include "connectors/json/event_codec.h"
#include "engine/ports/source.h"

namespace lethe {

// A recorded stream as a source: NDJSON, plain, gzip or Zstandard, from a file or, for "-", from
// the standard input. Each line is a bare event (of shard 0) or an envelope.
//
// An offset that a line does not give is the running number within its shard: one more than the
// record before has, from 0. Offsets that are given must increase within a shard. If they do not,
// the recording is damaged or put together wrongly, and Read fails with the line, as for a file
// that is truncated or corrupt. A line that cannot be decoded is a record with a rejection, whose
// message begins with the line number. When its place cannot be read either, it takes the running
// number in shard 0 without using it up: a readable record may have the same offset.
//
// What the records are does not depend on the limits passed to Read. Not thread-safe.
class RecordedStream final : public Source {
 public:
  // Fails with kInput when the file cannot be opened. What it holds is seen by Read only.
  static Result<std::unique_ptr<RecordedStream>> Open(
      const std::string& path, std::size_t max_line_bytes = LineReader::kDefaultMaxLineBytes);

  // See Source. A stream without any record is a kInput error: it is more likely the wrong file.
  // The records before an error are delivered first. The error then stays.
  Result<std::size_t> Read(std::vector<Record>& batch, std::size_t limit) override;

  // For a display of progress: bytes of the file used, in total (unknown for a pipe), and lines.
  std::int64_t bytes_read() const { return lines_->bytes_read(); }
  std::optional<std::int64_t> bytes_total() const { return lines_->bytes_total(); }
  std::int64_t line_number() const { return line_number_; }

 private:
  struct Place {
    std::int64_t next = 0;   // the running number
    std::int64_t last = -1;  // the last offset that is certain
  };

  RecordedStream(std::unique_ptr<LineReader> lines, std::size_t max_line_bytes);

  Result<bool> ReadRecord(Record& record);
  Status Locate(Record& record);
  Status NotIncreasing(const std::string& what) const;

  const std::unique_ptr<LineReader> lines_;
  JsonEventCodec codec_;
  std::unordered_map<std::int64_t, Place> places_;  // by shard
  std::int64_t line_number_ = 0;
  bool has_records_ = false;
  Status failed_;
};

}  // namespace lethe
