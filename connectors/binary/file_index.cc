#include "connectors/binary/file_index.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "connectors/binary/wire.h"
#include "connectors/file/raw_input.h"
#include "engine/check.h"

namespace lethe {

namespace {

using binary_file::FileHeader;
using binary_file::Footer;
using binary_file::IndexEntry;

Status Bad(const std::string& path, std::uint64_t byte, const std::string& what) {
  return {ErrorCode::kInput, path + ", byte " + std::to_string(byte) + ": " + what};
}

// Bytes of a file, which must be there.
Result<std::string> ReadRange(const std::string& path, std::uint64_t start, std::size_t count) {
  auto input = RawInput::Open(path, static_cast<std::int64_t>(start));
  if (!input.ok()) return input.status();
  std::string bytes;
  while (bytes.size() < count) {
    LETHE_RETURN_IF_ERROR(input.value()->Fill());
    if (input.value()->at_end()) return Bad(path, start + bytes.size(), "the file has shrunk");
    const std::string_view found = input.value()->buffered();
    const std::string_view part = found.substr(0, count - bytes.size());
    bytes.append(part);
    input.value()->Consume(part.size());
  }
  return bytes;
}

Status CheckHeader(const std::string& path, FileHeader& header) {
  const auto bytes = ReadRange(path, 0, binary_file::kHeaderBytes);
  if (!bytes.ok()) return bytes.status();
  if (!std::string_view(bytes.value()).starts_with(binary_file::kMagic)) {
    return Bad(path, 0, "not a plain binary recording");
  }
  if (!binary_file::ReadHeader(bytes.value(), header)) return Bad(path, 0, "the header is damaged");
  const std::string unreadable = binary_file::DescribeUnreadable(header);
  return unreadable.empty() ? Status::Ok() : Bad(path, 0, unreadable);
}

// Whether index and footer fill the file to its end, and no more than it has.
bool FillsFile(const Footer& footer, std::uint64_t size) {
  constexpr std::uint64_t kFixed =
      binary_file::kMarkerBytes + binary_file::kChecksumBytes + binary_file::kFooterBytes;
  if (footer.index_byte > size - kFixed) return false;
  const std::uint64_t entries = size - kFixed - footer.index_byte;
  return entries % binary_file::kIndexEntryBytes == 0 &&
         entries / binary_file::kIndexEntryBytes == footer.blocks;
}

// Whether each block begins behind the one before.
bool AreOrdered(const std::vector<IndexEntry>& blocks, const Footer& footer) {
  IndexEntry end{footer.index_byte, footer.records};
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    if (block->byte >= end.byte || block->records_before >= end.records_before) return false;
    end = *block;
  }
  return blocks.empty() ? footer.records == 0 : end.records_before == 0;
}

}  // namespace

Result<BinaryFileIndex> BinaryFileIndex::Load(const std::string& path) {
  const auto input = RawInput::Open(path);
  if (!input.ok()) return input.status();
  constexpr std::uint64_t kMinBytes = binary_file::kHeaderBytes + binary_file::kMarkerBytes +
                                      binary_file::kChecksumBytes + binary_file::kFooterBytes;
  const auto size = static_cast<std::uint64_t>(input.value()->size().value_or(0));
  if (size < kMinBytes) return Bad(path, 0, "too small for a plain binary recording");
  BinaryFileIndex index;
  LETHE_RETURN_IF_ERROR(CheckHeader(path, index.header_));

  const std::uint64_t footer_byte = size - binary_file::kFooterBytes;
  const auto tail = ReadRange(path, footer_byte, binary_file::kFooterBytes);
  if (!tail.ok()) return tail.status();
  Footer footer;
  if (!binary_file::ReadFooter(tail.value(), footer) || !FillsFile(footer, size)) {
    return Bad(path, footer_byte, "there is no footer; the file is truncated or damaged");
  }
  index.records_ = footer.records;

  const auto bytes = ReadRange(path, footer.index_byte, footer_byte - footer.index_byte);
  if (!bytes.ok()) return bytes.status();
  const std::string_view all = bytes.value();
  const std::string_view covered = all.substr(0, all.size() - binary_file::kChecksumBytes);
  const auto checksum = wire::Load<std::uint32_t>(all.data() + covered.size());
  if (!covered.starts_with(binary_file::kIndexMarker) ||
      checksum != binary_file::Checksum(covered)) {
    return Bad(path, footer.index_byte, "the index is damaged");
  }
  for (std::size_t i = binary_file::kMarkerBytes; i < covered.size();
       i += binary_file::kIndexEntryBytes) {
    index.blocks_.push_back(
        binary_file::ReadIndexEntry(covered.substr(i, binary_file::kIndexEntryBytes)));
  }
  if (!AreOrdered(index.blocks_, footer)) {
    return Bad(path, footer.index_byte, "the index makes no sense");
  }
  return index;
}

std::size_t BinaryFileIndex::BlockOf(std::uint64_t record) const {
  LETHE_CHECK(record < records_);
  const auto behind = std::upper_bound(
      blocks_.begin(), blocks_.end(), record,
      [](std::uint64_t number, const IndexEntry& block) { return number < block.records_before; });
  return static_cast<std::size_t>(behind - blocks_.begin()) - 1;
}

}  // namespace lethe
