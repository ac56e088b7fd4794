#include "state/store/crc32c.h"

#include <dlfcn.h>

#include <cstring>

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

__attribute__((target("sse4.2"))) std::uint32_t ByInstruction(std::uint32_t crc, const char* data,
                                                              std::size_t size) {
  std::uint64_t state = ~crc;
  for (; size >= 8; data += 8, size -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data, sizeof word);
    state = _mm_crc32_u64(state, word);
  }
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
