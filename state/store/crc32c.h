#pragma once

#include <cstddef>
#include <cstdint>

// RocksDB checks its log with CRC-32C, for which processors have instructions; Debian's library is
// built for those that have none, and then a log of payloads costs more than all else that is done
// with them. The dynamic linker takes a program's own definition before a library's, so this one,
// which is ISA-L's, serves RocksDB too.
namespace rocksdb::crc32c {

// Continues the checksum `crc` of what came before.
std::uint32_t Extend(std::uint32_t crc, const char* data, std::size_t size);

}  // namespace rocksdb::crc32c
