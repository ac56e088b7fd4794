#include "connectors/system/sip_hash.h"

#include <bit>
#include <cstring>

namespace lethe {
namespace {

static_assert(std::endian::native == std::endian::little);

template <typename T>
std::uint64_t Load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The last size % 8 bytes of a text as a little-endian number, without reading outside of the text.
// Loads may overlap: bytes that are loaded twice land on the same bits.
std::uint64_t LoadTail(const char* text, std::size_t size) {
  const std::size_t rest = size % 8;
  if (rest == 0) return 0;
  if (size >= 8) return Load<std::uint64_t>(text + size - 8) >> (8 * (8 - rest));
  if (rest >= 4) {
    return Load<std::uint32_t>(text) | Load<std::uint32_t>(text + rest - 4) << (8 * (rest - 4));
  }
  // One to three bytes: the first, the middle and the last one cover them all.
  return Load<std::uint8_t>(text) | Load<std::uint8_t>(text + rest / 2) << (8 * (rest / 2)) |
         Load<std::uint8_t>(text + rest - 1) << (8 * (rest - 1));
}

// The state of SipHash, as in the paper by Aumasson and Bernstein.
struct State {
  std::uint64_t v0, v1, v2, v3;

  explicit State(const HashKey& key) {
    const std::uint64_t k0 = Load<std::uint64_t>(reinterpret_cast<const char*>(key.data()));
    const std::uint64_t k1 = Load<std::uint64_t>(reinterpret_cast<const char*>(key.data()) + 8);
    v0 = k0 ^ 0x736f6d6570736575;
    v1 = k1 ^ 0x646f72616e646f6d ^ 0xee;  // 0xee: the variant with 128 bits
    v2 = k0 ^ 0x6c7967656e657261;
    v3 = k1 ^ 0x7465646279746573;
  }

  void Round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }
  void Take(std::uint64_t word) {
    v3 ^= word;
    Round();
    Round();
    v0 ^= word;
  }
};

}  // namespace

std::uint64_t SipHashLow(const HashKey& key, char tag, std::string_view text) {
  State state(key);
  // The tag shifts the whole text by one byte: each word takes 7 bytes of the text, and the last
  // byte of the word before it is carried over.
  std::uint64_t carried = static_cast<std::uint8_t>(tag);
  const char* at = text.data();
  for (std::size_t i = text.size() / 8; i > 0; --i, at += 8) {
    const auto word = Load<std::uint64_t>(at);
    state.Take(word << 8 | carried);
    carried = word >> 56;
  }
  std::uint64_t last = LoadTail(text.data(), text.size()) << 8 | carried;
  if (text.size() % 8 == 7) {
    state.Take(last);
    last = 0;
  }
  state.Take(last | static_cast<std::uint64_t>(text.size() + 1) << 56);
  state.v2 ^= 0xee;
  for (int i = 0; i < 4; ++i) state.Round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace lethe
