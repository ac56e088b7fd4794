#include "connectors/binary/file_format.h"

#include <isa-l/crc.h>

#include <algorithm>

#include "connectors/binary/wire.h"
#include "engine/base/check.h"

namespace lethe::binary_file {

namespace {

constexpr unsigned kFloat32Flag = 1;
constexpr unsigned kBareFlag = 2;
constexpr unsigned kAllFlags = 3;

// Appends the checksum of the bytes of `out` from `start` on.
void AppendChecksum(std::size_t start, std::string& out) {
  wire::Append(Checksum(std::string_view(out).substr(start)), out);
}

bool EndsWithChecksum(std::string_view bytes) {
  const std::string_view covered = bytes.substr(0, bytes.size() - kChecksumBytes);
  return wire::Load<std::uint32_t>(bytes.data() + covered.size()) == Checksum(covered);
}

}  // namespace

std::uint32_t Checksum(std::string_view bytes) {
  return crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

void AppendHeader(const FileHeader& header, std::string& out) {
  const std::size_t start = out.size();
  out.append(kMagic);
  wire::Append(header.version, out);
  const unsigned flags = (header.float32 ? kFloat32Flag : 0) | (header.bare ? kBareFlag : 0);
  wire::Append(static_cast<std::uint16_t>(flags), out);
  AppendChecksum(start, out);
}

bool ReadHeader(std::string_view bytes, FileHeader& header) {
  LETHE_CHECK(bytes.size() == kHeaderBytes);
  wire::Cursor cursor(bytes.substr(kMagic.size()));
  std::uint16_t flags = 0;
  LETHE_CHECK(cursor.Read(header.version) && cursor.Read(flags));
  header.float32 = (flags & kFloat32Flag) != 0;
  header.bare = (flags & kBareFlag) != 0;
  header.unknown_flags = (flags & ~kAllFlags) != 0;
  return EndsWithChecksum(bytes);
}

void AppendBlock(const BlockHeader& header, std::string_view payload, std::string& out) {
  const std::size_t start = out.size();
  out.append(kBlockMarker);
  wire::Append(header.payload_bytes, out);
  wire::Append(header.records, out);
  wire::Append(header.records_before, out);
  AppendChecksum(start, out);
  out.append(payload);
  wire::Append(Checksum(payload), out);
}

bool ReadBlockHeader(std::string_view bytes, BlockHeader& header) {
  LETHE_CHECK(bytes.size() == kBlockHeaderBytes);
  wire::Cursor cursor(bytes.substr(kMarkerBytes));
  LETHE_CHECK(cursor.Read(header.payload_bytes) && cursor.Read(header.records) &&
              cursor.Read(header.records_before));
  return EndsWithChecksum(bytes);
}

void AppendFooter(std::uint64_t records, std::string& out) {
  const std::size_t start = out.size();
  out.append(kFooterMarker);
  wire::Append(records, out);
  AppendChecksum(start, out);
}

Beginning Recognise(std::string_view bytes, bool is_all) {
  // With up to this many wrong bytes, the beginning still cannot be text.
  constexpr std::size_t kMaxWrongBytes = 2;
  const std::size_t count = std::min(bytes.size(), kMagic.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += bytes[i] == kMagic[i] ? 0 : 1;
  if (wrong > kMaxWrongBytes) return Beginning::kOther;
  if (count == kMagic.size()) return wrong == 0 ? Beginning::kBinary : Beginning::kDamaged;
  if (!is_all) return Beginning::kUnknown;
  return count > 0 && wrong == 0 ? Beginning::kBinary : Beginning::kOther;
}

std::string DescribeUnreadable(const FileHeader& header) {
  const std::string reads = "; this program reads version " + std::to_string(kVersion);
  if (header.version != kVersion) {
    return "version " + std::to_string(header.version) + " of the binary form" + reads;
  }
  if (header.unknown_flags) return "flags that version 1 does not have" + reads;
  return {};
}

}  // namespace lethe::binary_file
