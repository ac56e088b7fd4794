#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "connectors/file/encoder.h"
#include "engine/base/check.h"

namespace lethe::testing {

// A directory of its own for each test, removed with all it holds.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string path = (std::filesystem::temp_directory_path() / "lethe-test-XXXXXX").string();
    LETHE_CHECK(mkdtemp(path.data()) != nullptr);
    path_ = path;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string Path(std::string_view name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

  // Writes a file and returns its path.
  std::string Write(std::string_view name, std::string_view bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Compresses in one go. `ending` is .gz or .zst.
inline std::string Compress(std::string_view ending, std::string_view bytes) {
  std::string out;
  LETHE_CHECK(MakeEncoder(ending)->Encode(bytes, true, out));
  return out;
}

}  // namespace lethe::testing
