#include "connectors/system/sip_hash.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace lethe {
namespace {

static_assert(std::endian::native == std::endian::little);

std::uint64_t Load(const void* bytes, std::size_t count = 8) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, count);
  return value;
}

struct State {
  std::uint64_t a, b, c, d;

  void Rounds(int count) {
    for (int i = 0; i < count; ++i) {
      a += b;
      c += d;
      b = std::rotl(b, 13) ^ a;
      d = std::rotl(d, 16) ^ c;
      a = std::rotl(a, 32);
      c += b;
      a += d;
      b = std::rotl(b, 17) ^ c;
      d = std::rotl(d, 21) ^ a;
      c = std::rotl(c, 32);
    }
  }
  void Take(std::uint64_t word) {
    d ^= word;
    Rounds(2);
    a ^= word;
  }
  std::uint64_t Word() const { return a ^ b ^ c ^ d; }
};

// Fewer than 8 bytes.
std::uint64_t LoadRest(const char* bytes, std::size_t count) {
  if (count >= 4) return Load(bytes, 4) | Load(bytes + count - 4, 4) << (8 * (count - 4));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
  }
  return value;
}

}  // namespace

KeyHash SipHash128(const HashKey& key, std::string_view bytes) {
  const std::uint64_t low = Load(key.data());
  const std::uint64_t high = Load(key.data() + 8);
  State state{low ^ 0x736f6d6570736575, high ^ 0x646f72616e646f6d ^ 0xee, low ^ 0x6c7967656e657261,
              high ^ 0x7465646279746573};
  const char* at = bytes.data();
  const std::size_t rest = bytes.size() % 8;
  for (const char* const end = at + (bytes.size() - rest); at != end; at += 8) state.Take(Load(at));
  state.Take(std::uint64_t{bytes.size()} << 56 | LoadRest(at, rest));
  KeyHash hash;
  state.c ^= 0xee;
  state.Rounds(4);
  hash.low = state.Word();
  state.b ^= 0xdd;
  state.Rounds(4);
  hash.high = state.Word();
  return hash;
}

}  // namespace lethe
