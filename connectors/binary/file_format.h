#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "connectors/binary/event_codec.h"

// The parts of a binary recording (docs/formats/binary.md):
//
//   header, block..., footer
//
// A part ends with a checksum: the CRC-32 of all its bytes before the checksum. All functions are
// pure.
namespace lethe::binary_file {

// A byte that no text begins with, a name, and an end of line that a transfer in text mode would
// change.
inline constexpr std::string_view kMagic = "\xb1LETHE\r\n";
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kHeaderBytes = 16;

inline constexpr std::string_view kBlockMarker = "LBLK";
inline constexpr std::string_view kFooterMarker = "LEND";
inline constexpr std::size_t kMarkerBytes = 4;
inline constexpr std::size_t kChecksumBytes = 4;
inline constexpr std::size_t kBlockHeaderBytes = 24;
inline constexpr std::size_t kFooterBytes = 16;

// A block is closed before it would exceed this size; a larger record gets a block of its own.
inline constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
// The largest block: one record of the largest message, with its position and lengths.
inline constexpr std::size_t kMaxBlockBytes =
    BinaryEventCodec::kDefaultMaxBytes + 5 * wire::kMaxVarintBytes;
// Set in the time of a record whose time of arrival follows.
inline constexpr std::uint64_t kArrivalFlag = std::uint64_t{1} << 54;
// Set in the time of a record if the broker set its timestamp, and not the producer.
inline constexpr std::uint64_t kBrokerTimeFlag = std::uint64_t{1} << 55;

struct FileHeader {
  std::uint16_t version = kVersion;
  bool float32 = false;  // the width given to Encode; each message also states its own
  bool bare = false;     // recorded from bare events: the offsets are running numbers
  bool unknown_flags = false;
};

struct BlockHeader {
  std::uint32_t payload_bytes = 0;
  std::uint32_t records = 0;
  std::uint64_t records_before = 0;
};

std::uint32_t Checksum(std::string_view bytes);

void AppendHeader(const FileHeader& header, std::string& out);
void AppendBlock(const BlockHeader& header, std::string_view payload, std::string& out);
// `records` is the number of records in all blocks.
void AppendFooter(std::uint64_t records, std::string& out);

// Both functions below take exactly the bytes of their part, and return false when the checksum
// does not match. The caller checks the magic or the marker.
bool ReadHeader(std::string_view bytes, FileHeader& header);
bool ReadBlockHeader(std::string_view bytes, BlockHeader& header);

// What a file is, judged by its first bytes. `is_all` says that the file has no more bytes.
enum class Beginning {
  kOther,    // not a binary recording
  kUnknown,  // more bytes are needed
  kBinary,
  kDamaged,  // almost the magic: a binary recording with a damaged beginning
};
Beginning Recognise(std::string_view bytes, bool is_all);

// Why this program cannot read a file with this header (another version or flags); empty if it can.
std::string DescribeUnreadable(const FileHeader& header);

}  // namespace lethe::binary_file
