#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "connectors/binary/file_format.h"
#include "engine/status.h"

namespace lethe {

// Where the blocks of a binary recording are, read from the end of a plain file: how to count its
// records, and to find one, without reading the others. A value; it does not follow the file.
class BinaryFileIndex {
 public:
  // Reads header, footer and index only. A file that is truncated or damaged there, compressed, or
  // no binary recording at all, is a kInput error.
  static Result<BinaryFileIndex> Load(const std::string& path);

  std::uint64_t records() const { return records_; }
  const binary_file::FileHeader& header() const { return header_; }
  const std::vector<binary_file::IndexEntry>& blocks() const { return blocks_; }

  // The block that holds a record, which is below records(), from 0.
  std::size_t BlockOf(std::uint64_t record) const;

 private:
  binary_file::FileHeader header_;
  std::vector<binary_file::IndexEntry> blocks_;
  std::uint64_t records_ = 0;
};

}  // namespace lethe
