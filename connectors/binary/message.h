#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "connectors/binary/wire.h"
#include "engine/ports/event.h"

// The layout of a binary message and the checks that decoding and encoding share. All functions are
// pure. No rejection quotes a text or number of the message.
namespace lethe::message {

// No UTF-8 text begins with this byte, and neither does the prefix of a schema registry, which is
// 0.
inline constexpr std::uint8_t kMagic = 0xb1;
inline constexpr std::uint8_t kVersion = 1;

// Magic, version and kind have the same position in every version of the format, so that a delete
// of a later version is recognised.
inline constexpr std::size_t kVersionAt = 1;
inline constexpr std::size_t kKindAt = 2;
inline constexpr std::size_t kFlagsAt = 3;
inline constexpr std::size_t kHeaderBytes = 4;

inline constexpr std::uint8_t kLearn = 1;
inline constexpr std::uint8_t kDelete = 2;
inline constexpr std::uint8_t kUpdate = 3;

inline constexpr unsigned kFloat32 = 1;  // numbers have 4 bytes instead of 8
inline constexpr unsigned kNamed = 2;    // features have names
inline constexpr unsigned kHasId = 4;
inline constexpr unsigned kHasSubject = 8;
inline constexpr unsigned kHasRequest = 16;
inline constexpr unsigned kIsReplaced = 32;  // a delete of the old version, by an update
inline constexpr unsigned kHasTexts = 32;    // a learn or update: texts follow the named features
inline constexpr unsigned kHasWeight = 64;   // a weight other than 1 follows the label
inline constexpr unsigned kHasLabel = 128;   // the label is a text, the name of a class
// The flags that a learn or update may have, and a delete may not.
inline constexpr unsigned kExampleFlags = kFloat32 | kNamed | kHasWeight | kHasLabel;

Rejection Reject(Reason reason, std::string message);

// Whether no byte has its top bit set. Most texts are short and ASCII; for these, a call of the
// UTF-8 validator would cost more than the rest of the message.
inline bool IsAscii(std::string_view text) {
  constexpr std::uint64_t kTopBits = 0x8080808080808080u;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::uint64_t seen = 0;
  const char* next = text.data();
  std::size_t left = text.size();
  for (; left >= kWord; left -= kWord, next += kWord) seen |= wire::Load<std::uint64_t>(next);
  if (left >= kWord / 2) {
    seen |= wire::Load<std::uint32_t>(next) | wire::Load<std::uint32_t>(next + left - kWord / 2);
  } else {
    for (; left > 0; --left) seen |= static_cast<unsigned char>(*next++);
  }
  return (seen & kTopBits) == 0;
}

bool IsUtf8(std::string_view text);

// The rejection of a text that CheckText refuses.
Rejection BadText(std::string_view text, std::size_t min, std::size_t max, const char* name);

// Checks the length of a text in bytes, and that it is UTF-8. Returns nothing if the text is good.
inline std::optional<Rejection> CheckText(std::string_view text, std::size_t min, std::size_t max,
                                          const char* name) {
  if (text.size() >= min && text.size() <= max && (IsAscii(text) || IsUtf8(text))) {
    return std::nullopt;
  }
  return BadText(text, min, max, name);
}

// The same for a key or subject, which may be any bytes, like keys in Kafka.
Rejection BadKey(std::string_view key, const char* name);
inline std::optional<Rejection> CheckKey(std::string_view key, const char* name) {
  if (!key.empty() && key.size() <= kMaxIdBytes) return std::nullopt;
  return BadKey(key, name);
}

// "x[3]" or "f[3]".
std::string FeatureName(bool named, std::size_t position);

Rejection TooLarge(std::size_t max_bytes);
Rejection EmptyX();
Rejection NeedlessWeight();
Rejection NeedlessTexts();
// An event with more texts than a model takes features; each takes little room in a message and
// much in memory.
Rejection TooManyTexts();
Rejection UpdateWithoutId();
Rejection DeleteWithoutTarget();

}  // namespace lethe::message
