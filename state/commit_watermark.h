#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/status.h"

namespace lethe {

// How many commits a database must have, as the file beside it says. A database that has lost its
// last commits (a log cut short, a damaged one that ends early) opens without complaint and would
// draw noise a second time; here it is found out. What was synced must always be there; what was
// only written must be there until the machine starts again, because a crash of the machine may
// take it.
struct CommitWatermark {
  enum class File : std::uint8_t { kWhole, kMissing, kDamaged };

  File file = File::kMissing;
  std::uint64_t synced = 0;
  std::uint64_t written = 0;

  // Of a database that is known to be whole.
  static CommitWatermark Of(std::uint64_t commits) { return {File::kWhole, commits, commits}; }

  // kInput if a database with so many commits has lost some.
  Status Check(std::uint64_t commits) const;
};

// Also while another process writes the file. kDisk: it cannot be read.
Result<CommitWatermark> ReadCommitWatermark(const std::string& path);

// Keeps the file, for the one owner of the database. Not thread-safe.
class CommitWatermarkFile {
 public:
  CommitWatermarkFile(std::string path, const CommitWatermark& mark)
      : path_(std::move(path)), mark_(mark) {}
  ~CommitWatermarkFile();
  CommitWatermarkFile(const CommitWatermarkFile&) = delete;
  CommitWatermarkFile& operator=(const CommitWatermarkFile&) = delete;

  const CommitWatermark& mark() const { return mark_; }

  // Writes the file as a whole. It is on disk when this returns. Before the first Record.
  Status Begin();
  // After a commit. With `sync`, the file is on disk when this returns.
  Status Record(std::uint64_t commits, bool sync);

 private:
  int file_ = -1;
  std::string path_;
  CommitWatermark mark_;
};

}  // namespace lethe
