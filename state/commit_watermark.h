#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/status.h"

namespace lethe {

// How many commits a database must have, according to the file `high-water` beside it. A database
// whose log was cut short, or is damaged near its end, opens without an error, but lacks its last
// commits; going on would draw noise a second time for the same model. The watermark detects that.
// Synced commits must always be there. Commits that were only written must be there until the
// machine starts again, because a crash of the machine may lose them. A plain value.
struct CommitWatermark {
  enum class File : std::uint8_t { kWhole, kMissing, kDamaged };

  File file = File::kMissing;
  std::uint64_t synced = 0;  // commits that survive a crash of the machine
  // Commits that must be there now. Equal to `synced` if the machine was restarted since.
  std::uint64_t written = 0;

  // The watermark of a database that is known to have lost nothing.
  static CommitWatermark Of(std::uint64_t commits) { return {File::kWhole, commits, commits}; }

  // kInput: a database with `commits` commits has lost some, and must not be used.
  Status Check(std::uint64_t commits) const;
};

// Reads the file, also while its owner writes it. A missing or damaged file is not an error: `file`
// of the result says so, and its numbers are 0. kDisk: the file cannot be read.
Result<CommitWatermark> ReadCommitWatermark(const std::string& path);

// Writes the file, for the owner of the database. Not thread-safe: CommitWriter calls it from one
// thread at a time. It owns the open file. After an error (kDisk) the owner must not commit again.
class CommitWatermarkFile {
 public:
  // Touches no file. `mark` is what the file has, or what Begin is to write.
  CommitWatermarkFile(std::string path, const CommitWatermark& mark)
      : path_(std::move(path)), mark_(mark) {}
  ~CommitWatermarkFile();
  CommitWatermarkFile(const CommitWatermarkFile&) = delete;
  CommitWatermarkFile& operator=(const CommitWatermarkFile&) = delete;

  const CommitWatermark& mark() const { return mark_; }

  // Replaces the file atomically, and keeps it open. When it returns ok, the file is on disk. Call
  // it once, before the first Record.
  Status Begin();
  // Records that the database has `commits` commits. Call it after the commit is written. With
  // `sync`, which needs a synced commit, the file is on disk when it returns.
  Status Record(std::uint64_t commits, bool sync);

 private:
  int file_ = -1;
  std::string path_;
  CommitWatermark mark_;
};

}  // namespace lethe
