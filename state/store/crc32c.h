#pragma once

#include <cstddef>
#include <cstdint>

// RocksDB checks its log with CRC-32C, for which processors have an instruction; Debian's library
// is built for those that have none, and then a log of payloads costs more than all else that is
// done with them. The dynamic linker takes a program's own definition before a library's, so this
// one serves RocksDB too. Without the instruction it hands over to the library's.
namespace rocksdb::crc32c {

// Continues the checksum `crc` of what came before.
std::uint32_t Extend(std::uint32_t crc, const char* data, std::size_t size);

}  // namespace rocksdb::crc32c

namespace lethe {

// The library's own, or null where there is none to be found.
using Crc32cExtend = std::uint32_t (*)(std::uint32_t crc, const char* data, std::size_t size);
Crc32cExtend LibraryCrc32c();

}  // namespace lethe
