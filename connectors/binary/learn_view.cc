// The fast path for dense learns with an id. DecodeValue is its slow twin: it accepts every message
// that this path accepts and whose numbers are finite, and reads the same values. Every other
// message, including every message that must be rejected for its form, is left to DecodeValue.

#include "connectors/binary/event_codec.h"
#include "connectors/binary/message.h"

namespace lethe {
namespace {

using wire::Cursor;

bool ReadText(Cursor& cursor, std::string_view& text) {
  std::uint64_t size = 0;
  return cursor.ReadVarint(size) && cursor.ReadBytes(size, text) && !text.empty() &&
         text.size() <= kMaxIdBytes && message::IsAscii(text);
}

// Reads label, weight and features, which must fill the rest of the message. Admission checks that
// the numbers are finite while it computes their norm.
template <typename Number>
bool ReadPlainNumbers(Cursor& cursor, unsigned flags, LearnView& plain) {
  Number y = 0;
  Number w = 1;
  std::uint64_t count = 0;
  plain.label.reset();
  const bool has_label = (flags & message::kHasLabel) != 0;
  if (has_label ? !ReadText(cursor, plain.label.emplace()) : !cursor.Read(y)) return false;
  if ((flags & message::kHasWeight) != 0 && (!cursor.Read(w) || w == 1)) return false;
  if (!cursor.ReadVarint(count)) return false;
  const std::size_t bytes = cursor.remaining();
  if (count == 0 || count > bytes / sizeof(Number) || count * sizeof(Number) != bytes) return false;
  plain.y = y;
  plain.w = w;
  plain.x = cursor.next();
  plain.count = count;
  plain.is_float32 = sizeof(Number) == sizeof(float);
  return true;
}

}  // namespace

bool BinaryEventCodec::ReadLearnView(std::string_view message,
                                     const std::optional<std::string_view>& key,
                                     LearnView& plain) const {
  if (message.size() < message::kHeaderBytes || message.size() > max_bytes_) return false;
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(message[at]); };
  if (byte(0) != message::kMagic || byte(message::kVersionAt) != message::kVersion) return false;
  const unsigned flags = byte(message::kFlagsAt);
  constexpr unsigned kMayNot = message::kNamed | message::kHasRequest | message::kIsReplaced;
  if (byte(message::kKindAt) != message::kLearn || (flags & kMayNot) != 0) return false;
  Cursor cursor(message.substr(message::kHeaderBytes));
  if ((flags & message::kHasId) == 0 || !ReadText(cursor, plain.id)) return false;
  plain.subject.reset();
  if ((flags & message::kHasSubject) != 0 && !ReadText(cursor, plain.subject.emplace())) {
    return false;
  }
  if (key) {
    if (key->empty() || key->size() > kMaxIdBytes) return false;
    plain.subject = key;
  }
  return (flags & message::kFloat32) != 0 ? ReadPlainNumbers<float>(cursor, flags, plain)
                                          : ReadPlainNumbers<double>(cursor, flags, plain);
}

}  // namespace lethe
