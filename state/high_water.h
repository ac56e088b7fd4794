#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/status.h"

namespace lethe {

// How many commits there have been, kept beside the database. A database that has lost its last
// commits (a log cut short, a damaged one that ends early) opens without complaint and would draw
// noise a second time; here it is found out. What was synced must always be there; what was only
// written must be there until the machine starts again, because a crash of the machine may take it.
class HighWater {
 public:
  // The file is made when it is not there.
  static Result<std::unique_ptr<HighWater>> Open(const std::string& path);
  ~HighWater();
  HighWater(const HighWater&) = delete;
  HighWater& operator=(const HighWater&) = delete;

  // kInput if a database with so many commits has lost some.
  Status Check(std::uint64_t commits) const;

  // After a commit.
  Status Record(std::uint64_t commits, bool sync);

 private:
  HighWater(int file, std::string path) : file_(file), path_(std::move(path)) {}
  Status Read();

  int file_;
  std::string path_;
  std::uint64_t synced_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace lethe
