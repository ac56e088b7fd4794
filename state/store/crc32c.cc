#include "state/store/crc32c.h"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <string>

#include "engine/check.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lethe {

Crc32cExtend LibraryCrc32c() {
  static const auto found =
      reinterpret_cast<Crc32cExtend>(dlsym(RTLD_NEXT, "_ZN7rocksdb6crc32c6ExtendEjPKcm"));
  return found;
}

namespace {

#if defined(__x86_64__)

constexpr std::size_t kLane = 512;

__attribute__((target("sse4.2"))) inline std::uint64_t Step(std::uint64_t state, const char* data) {
  std::uint64_t word = 0;
  std::memcpy(&word, data, sizeof word);
  return _mm_crc32_u64(state, word);
}

// What a state becomes by kLane zeros. That is linear in its bits, so it is the sum of what its
// four bytes become.
class PastALane {
 public:
  __attribute__((target("sse4.2"))) PastALane() {
    const std::string zeros(kLane, '\0');
    for (std::size_t byte = 0; byte < 4; ++byte) {
      for (std::uint32_t value = 0; value < 256; ++value) {
        std::uint64_t state = value << (8 * byte);
        for (std::size_t i = 0; i < kLane; i += 8) state = Step(state, zeros.data() + i);
        becomes_[byte][value] = static_cast<std::uint32_t>(state);
      }
    }
  }
  std::uint32_t operator()(std::uint64_t state) const {
    return becomes_[0][state & 255] ^ becomes_[1][state >> 8 & 255] ^
           becomes_[2][state >> 16 & 255] ^ becomes_[3][state >> 24 & 255];
  }

 private:
  std::array<std::array<std::uint32_t, 256>, 4> becomes_;
};

// An instruction waits for the one before it, so three lanes side by side take as long as one.
__attribute__((target("sse4.2"))) std::uint32_t ByInstruction(std::uint32_t crc, const char* data,
                                                              std::size_t size) {
  static const PastALane past;
  std::uint64_t state = ~crc;
  for (; size >= 3 * kLane; data += 3 * kLane, size -= 3 * kLane) {
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < kLane; i += 8) {
      state = Step(state, data + i);
      second = Step(second, data + kLane + i);
      third = Step(third, data + 2 * kLane + i);
    }
    state = past(past(state) ^ second) ^ third;
  }
  for (; size >= 8; data += 8, size -= 8) state = Step(state, data);
  auto rest = static_cast<std::uint32_t>(state);
  for (; size > 0; ++data, --size) rest = _mm_crc32_u8(rest, static_cast<std::uint8_t>(*data));
  return ~rest;
}

Crc32cExtend Best() {
  return __builtin_cpu_supports("sse4.2") != 0 ? ByInstruction : LibraryCrc32c();
}

#else

Crc32cExtend Best() { return LibraryCrc32c(); }

#endif

}  // namespace
}  // namespace lethe

namespace rocksdb::crc32c {

std::uint32_t Extend(std::uint32_t crc, const char* data, std::size_t size) {
  static const lethe::Crc32cExtend best = lethe::Best();
  LETHE_CHECK(best != nullptr);
  return best(crc, data, size);
}

}  // namespace rocksdb::crc32c
