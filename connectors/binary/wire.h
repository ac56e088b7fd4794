#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/base/varint.h"

// The integers and numbers of the binary forms (docs/formats/binary.md), all little-endian.
namespace lethe::wire {

// A port to a big-endian machine must swap bytes in Append and Load, and nowhere else.
static_assert(std::endian::native == std::endian::little);

// An integer below 2^63 takes at most nine bytes of seven bits each.
inline constexpr std::size_t kMaxVarintBytes = 9;

template <typename T>
void Append(T value, std::string& out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

template <typename T>
T Load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

using lethe::AppendVarint;  // of integers below 2^63

// A reader of untrusted bytes, which it borrows. A read that fails returns false and does not move.
// Not thread-safe.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes)
      : next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  std::size_t remaining() const { return static_cast<std::size_t>(end_ - next_); }
  const char* next() const { return next_; }

  // Why the last read failed.
  const char* failure() const { return failure_; }

  template <typename T>
  bool Read(T& value) {
    if (remaining() < sizeof value) return CutOff();
    value = Load<T>(next_);
    next_ += sizeof value;
    return true;
  }

  bool ReadBytes(std::size_t count, std::string_view& bytes) {
    if (remaining() < count) return CutOff();
    bytes = {next_, count};
    next_ += count;
    return true;
  }

  // Accepts the shortest encoding of an integer only, so that an event has exactly one encoding.
  bool ReadVarint(std::uint64_t& value) {
    if (next_ != end_ && static_cast<unsigned char>(*next_) < 0x80) {
      value = static_cast<unsigned char>(*next_++);
      return true;
    }
    return ReadLongVarint(value);
  }

 private:
  bool ReadLongVarint(std::uint64_t& value) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kMaxVarintBytes; ++i) {
      if (i == remaining()) return CutOff();
      const std::uint64_t byte = static_cast<unsigned char>(next_[i]);
      bits |= (byte & 0x7f) << (7 * i);
      if (byte >= 0x80) continue;
      if (byte == 0) break;
      next_ += i + 1;
      value = bits;
      return true;
    }
    failure_ = "an integer is too long";
    return false;
  }

  bool CutOff() {
    failure_ = "cut off";
    return false;
  }

  const char* next_;
  const char* const end_;
  const char* failure_ = "";
};

}  // namespace lethe::wire
