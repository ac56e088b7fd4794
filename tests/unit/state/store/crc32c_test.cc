// The checksum is CRC-32C as it is defined.

#include "state/store/crc32c.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace lethe::crc32c_test {
namespace {

// Bit by bit, with the reversed polynomial of Castagnoli.
std::uint32_t Slowly(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0u);
  }
  return ~crc;
}

TEST(Crc32cTest, IsThatOfTheDefinition) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283);
  EXPECT_EQ(Crc32c(""), 0u);
  std::mt19937_64 random(1);
  std::string bytes(5000, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  const std::string_view all = bytes;
  for (std::size_t size = 0; size < 300; ++size) {
    const std::string_view part = all.substr(random() % 64, size);
    EXPECT_EQ(Crc32c(part), Slowly(part)) << size;
  }
  // Also those that are long enough for wide registers.
  for (std::size_t size = 1500; size <= bytes.size(); size += 7) {
    EXPECT_EQ(Crc32c(all.substr(0, size)), Slowly(all.substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace lethe::crc32c_test
