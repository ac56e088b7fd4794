// The checksum is the one that RocksDB's library has, and the one that it uses.

#include <dlfcn.h>

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "state/store/crc32c.h"

namespace lethe {
namespace {

constexpr char kSymbol[] = "_ZN7rocksdb6crc32c6ExtendEjPKcm";

TEST(Crc32cTest, IsThatOfTheLibrary) {
  using Extend = std::uint32_t (*)(std::uint32_t crc, const char* data, std::size_t size);
  const auto library = reinterpret_cast<Extend>(dlsym(RTLD_NEXT, kSymbol));
  ASSERT_NE(library, nullptr);
  ASSERT_NE(library, &rocksdb::crc32c::Extend);
  std::mt19937_64 random(1);
  std::string bytes(5000, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  for (std::size_t size = 0; size < 300; ++size) {
    const std::size_t at = random() % 64;
    const auto before = static_cast<std::uint32_t>(random());
    EXPECT_EQ(rocksdb::crc32c::Extend(before, bytes.data() + at, size),
              library(before, bytes.data() + at, size))
        << size;
  }
  // Also those that are long enough for wide registers.
  for (std::size_t size = 1500; size <= bytes.size(); size += 7) {
    const auto before = static_cast<std::uint32_t>(random());
    EXPECT_EQ(rocksdb::crc32c::Extend(before, bytes.data(), size),
              library(before, bytes.data(), size))
        << size;
  }
  EXPECT_EQ(rocksdb::crc32c::Extend(0, "123456789", 9), 0xe3069283);
}

// What the dynamic linker finds first is what the library calls.
TEST(Crc32cTest, TheLibraryCallsOurs) {
  EXPECT_EQ(dlsym(RTLD_DEFAULT, kSymbol), reinterpret_cast<void*>(&rocksdb::crc32c::Extend));
}

}  // namespace
}  // namespace lethe
