#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "connectors/binary/event_codec.h"

// The parts of a binary recording, as docs/formats/binary.md lays them out:
//
//   header, block..., footer
//
// A checksum is a CRC-32 of all bytes of its part before it.
namespace lethe::binary_file {

// A byte that no text begins with, a name, and an end of line that a transfer as text would change.
inline constexpr std::string_view kMagic = "\xb1LETHE\r\n";
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kHeaderBytes = 16;

inline constexpr std::string_view kBlockMarker = "LBLK";
inline constexpr std::string_view kFooterMarker = "LEND";
inline constexpr std::size_t kMarkerBytes = 4;
inline constexpr std::size_t kChecksumBytes = 4;
inline constexpr std::size_t kBlockHeaderBytes = 24;
inline constexpr std::size_t kFooterBytes = 16;

// A block is closed before it would grow above this; a larger record has a block of its own.
inline constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
// The largest record: a message, its place, and the lengths of both.
inline constexpr std::size_t kMaxBlockBytes =
    BinaryEventCodec::kDefaultMaxBytes + 5 * wire::kMaxVarintBytes;
// Added to the time of a record behind which the arrival stands.
inline constexpr std::uint64_t kArrivalFlag = std::uint64_t{1} << 54;

struct FileHeader {
  std::uint16_t version = kVersion;
  bool float32 = false;  // what Encode was told; each message says its own width
  bool bare = false;     // recorded from bare events: the places are running numbers
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
// `records`: how many the blocks before it hold.
void AppendFooter(std::uint64_t records, std::string& out);

// The rest takes exactly the bytes of its part, and returns false when the checksum does not match
// (the marker is the caller's to look at).
bool ReadHeader(std::string_view bytes, FileHeader& header);
bool ReadBlockHeader(std::string_view bytes, BlockHeader& header);

// How a file begins, as far as `bytes` tell; the file ends behind them if `is_all`.
enum class Beginning {
  kOther,    // not a binary recording
  kUnknown,  // more bytes are needed
  kBinary,
  kDamaged,  // too much alike to be anything else, but not the magic
};
Beginning Recognise(std::string_view bytes, bool is_all);

// Why this program cannot read a file whose header is whole, or nothing.
std::string DescribeUnreadable(const FileHeader& header);

}  // namespace lethe::binary_file
