#pragma once

#include <memory>
#include <string>

#include "engine/base/status.h"

namespace lethe {

// The folder of a demonstration: a temporary one that the destructor removes, or one to keep.
class DemoFolder {
 public:
  // An empty `keep` makes a temporary folder. Otherwise the folder `keep` must be missing or empty,
  // because the state of an earlier demonstration belongs to a broker that is gone. kInput or kDisk
  // if there is no such folder.
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
