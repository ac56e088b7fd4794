#pragma once

#include <memory>
#include <string>

#include "engine/base/status.h"

namespace lethe {

// A folder for a demonstration: a new one that is removed at the end, or one to keep.
class DemoFolder {
 public:
  // `keep` may be empty; else it must not exist, or have nothing in it: a state belongs to a
  // broker, and the one of a demonstration is gone with it.
  static Result<std::unique_ptr<DemoFolder>> Make(const std::string& keep);
  ~DemoFolder();
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  DemoFolder(std::string path, bool is_kept) : path_(std::move(path)), is_kept_(is_kept) {}

  const std::string path_;
  const bool is_kept_;
};

}  // namespace lethe
