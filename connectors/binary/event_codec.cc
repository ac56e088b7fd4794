#include "connectors/binary/event_codec.h"

#include <bit>
#include <utility>

#include "connectors/binary/message.h"
#include "engine/admission/feature_hash.h"
#include "engine/base/simd_dispatch.h"

namespace lethe {

namespace {

using message::Reject;
using wire::Cursor;

using Key = std::optional<std::string_view>;
using Refused = std::optional<Rejection>;

// A std::string holds texts up to this size inline, without a buffer.
constexpr std::size_t kInlineBytes = 15;
constexpr std::size_t kMaxSpareBuffers = 4096;

// Returns a value whose top bit is set if and only if the number is infinite or NaN. The sign is
// cleared and 1 is added to the exponent: an exponent of all ones carries into the top bit. It has
// no branch, because it runs once per feature, and the results for many numbers can be combined by
// OR.
std::uint64_t NotFinite(double number) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  constexpr std::uint64_t kExponentOne = std::uint64_t{1} << 52;
  return (std::bit_cast<std::uint64_t>(number) & ~kSign) + kExponentOne;
}

bool IsFinite(double number) { return NotFinite(number) >> 63 == 0; }

Rejection BadNumber(const std::string& name) {
  return Reject(Reason::kNotFinite, name + " is not finite");
}

Rejection Malformed(const Cursor& cursor) { return Reject(Reason::kMalformed, cursor.failure()); }

// The texts of a message, those that its flags announce. Views into the message.
struct Texts {
  Key id, subject, request;

  bool Read(Cursor& cursor, unsigned flags) {
    return ReadOne(cursor, flags & message::kHasId, id) &&
           ReadOne(cursor, flags & message::kHasSubject, subject) &&
           ReadOne(cursor, flags & message::kHasRequest, request);
  }

 private:
  static bool ReadOne(Cursor& cursor, unsigned has, Key& text) {
    if (has == 0) return true;
    std::uint64_t length = 0;
    return cursor.ReadVarint(length) && cursor.ReadBytes(length, text.emplace());
  }
};

Refused CheckId(const Key& id) {
  if (!id) return std::nullopt;
  return message::CheckText(*id, 1, kMaxIdBytes, "id");
}

Refused CheckSubject(const Key& subject) {
  if (!subject) return std::nullopt;
  return message::CheckKey(*subject, "subject");
}

// Both functions below leave in `texts` the texts that the kind of event uses, and check each one.
Refused ChooseForExample(const Key& key, bool needs_id, Texts& texts) {
  texts.request.reset();
  if (auto refused = CheckId(texts.id)) return refused;
  if (needs_id && !texts.id) return message::UpdateWithoutId();
  if (!key) return CheckSubject(texts.subject);
  texts.subject = key;
  return message::CheckKey(*key, "the key");
}

Refused ChooseForDelete(const Key& key, Texts& texts) {
  if (texts.request) {
    if (auto bad = message::CheckText(*texts.request, 0, kMaxRequestBytes, "request")) return bad;
  }
  if (texts.id) {
    texts.subject.reset();
    return CheckId(texts.id);
  }
  if (texts.subject) return CheckSubject(texts.subject);
  if (!key) return message::DeleteWithoutTarget();
  texts.subject = key;
  return message::CheckKey(*key, "the key");
}

// Checks size, magic and version, before anything else is read.
Refused CheckHeader(std::string_view message, std::size_t max_bytes) {
  if (message.size() > max_bytes) return message::TooLarge(max_bytes);
  if (!BinaryEventCodec::IsMessage(message)) {
    return Reject(Reason::kMalformed, "does not begin as a binary message");
  }
  if (message.size() < message::kHeaderBytes) return Reject(Reason::kMalformed, "cut off");
  const auto version = static_cast<std::uint8_t>(message[message::kVersionAt]);
  if (version == message::kVersion) return std::nullopt;
  return Reject(Reason::kMalformed, "version " + std::to_string(version) +
                                        " of the binary form; this program reads version " +
                                        std::to_string(message::kVersion));
}

bool IsDelete(std::string_view message) {
  return message.size() > message::kKindAt && BinaryEventCodec::IsMessage(message) &&
         static_cast<std::uint8_t>(message[message::kKindAt]) == message::kDelete;
}

Refused ReadKind(std::uint8_t kind, unsigned flags, Event& event) {
  switch (kind) {
    case message::kLearn: event.kind = EventKind::kLearn; break;
    case message::kUpdate: event.kind = EventKind::kUpdate; break;
    case message::kDelete: event.kind = EventKind::kDelete; break;
    default: return Reject(Reason::kUnknownType, "the kind is none of learn, delete and update");
  }
  const bool has_example = (flags & message::kExampleFlags) != 0;
  const bool is_delete = event.kind == EventKind::kDelete;
  // One bit has a meaning for deletes and another one for the others.
  const bool has_bit = (flags & message::kIsReplaced) != 0;
  event.is_replaced = is_delete && has_bit;
  const unsigned goes_with = is_delete ? message::kHasId : message::kNamed;
  if ((is_delete && has_example) || (has_bit && (flags & goes_with) == 0)) {
    return Reject(Reason::kMalformed, "flags that mean nothing are set");
  }
  return std::nullopt;
}

// Converts numbers to doubles. Returns a value whose top bit is set if one of them is not finite.
// Most of the decoding time is spent here, so Dispatch compiles it for several instruction sets.
template <typename Number>
struct Converting {
  [[gnu::always_inline]] static std::uint64_t Run(const char* bytes, std::size_t count, double* x) {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = wire::Load<Number>(bytes + i * sizeof(Number));
      seen |= NotFinite(x[i]);
    }
    return seen;
  }
};

template <typename Number>
Refused ReadDense(Cursor& cursor, std::size_t count, Event& event) {
  std::string_view bytes;
  if (count == 0) return message::EmptyX();
  if (!cursor.ReadBytes(count * sizeof(Number), bytes)) return Malformed(cursor);
  event.x.resize(count);
  double* const x = event.x.data();
  if (Dispatch<Converting<Number>>(bytes.data(), count, x) >> 63 == 0) return std::nullopt;
  std::size_t first = 0;
  while (IsFinite(x[first])) ++first;
  return BadNumber(message::FeatureName(false, first));
}

}  // namespace

bool BinaryEventCodec::IsMessage(std::string_view value) {
  return !value.empty() && static_cast<std::uint8_t>(value.front()) == message::kMagic;
}

Refused BinaryEventCodec::DecodeValue(const Key& value, const Key& key, Event& event) {
  static constexpr char kTombstone[] = {static_cast<char>(message::kMagic), message::kVersion,
                                        message::kDelete, 0};
  const std::string_view message = value.value_or(std::string_view(kTombstone, sizeof kTombstone));
  Refused refused = Read(message, key, event);
  if (refused) {
    refused->is_request = IsDelete(message);
    event.Clear();
  }
  return refused;
}

Refused BinaryEventCodec::Read(std::string_view message, const Key& key, Event& event) {
  if (auto refused = CheckHeader(message, max_bytes_)) return refused;
  const unsigned flags = static_cast<std::uint8_t>(message[message::kFlagsAt]);
  const auto kind = static_cast<std::uint8_t>(message[message::kKindAt]);
  if (auto refused = ReadKind(kind, flags, event)) return refused;
  event.unknown_members = 0;

  Cursor cursor(message.substr(message::kHeaderBytes));
  Texts texts;
  if (!texts.Read(cursor, flags)) return Malformed(cursor);
  const bool is_delete = event.kind == EventKind::kDelete;
  auto refused = is_delete ? ChooseForDelete(key, texts)
                           : ChooseForExample(key, event.kind == EventKind::kUpdate, texts);
  if (refused) return refused;
  texts.id ? Put(*texts.id, event.id) : Remove(event.id);
  texts.subject ? Put(*texts.subject, event.subject) : Remove(event.subject);
  texts.request ? Put(*texts.request, event.request) : Remove(event.request);

  if (is_delete) {
    event.x.clear();
    ResizeNamed(0, event);
    event.texts.clear();
    event.y = 0;
    Remove(event.label);
    event.w = 1;
  } else if ((refused = ReadExample(cursor, flags, event))) {
    return refused;
  }
  if (cursor.remaining() == 0) return std::nullopt;
  return Reject(Reason::kMalformed, "bytes follow behind the end of the message");
}

Refused BinaryEventCodec::ReadExample(Cursor& cursor, unsigned flags, Event& event) {
  return (flags & message::kFloat32) != 0 ? ReadNumbers<float>(cursor, flags, event)
                                          : ReadNumbers<double>(cursor, flags, event);
}

template <typename Number>
Refused BinaryEventCodec::ReadLabelAndWeight(Cursor& cursor, unsigned flags, Event& event) {
  Number y = 0;
  Number w = 1;
  if ((flags & message::kHasLabel) != 0) {
    std::uint64_t length = 0;
    std::string_view name;
    if (!cursor.ReadVarint(length) || !cursor.ReadBytes(length, name)) return Malformed(cursor);
    if (!message::IsUtf8(name)) return Reject(Reason::kMalformed, "y is not valid UTF-8");
    Put(name, event.label);
  } else {
    Remove(event.label);
    if (!cursor.Read(y)) return Malformed(cursor);
    if (!IsFinite(y)) return BadNumber("y");
  }
  if ((flags & message::kHasWeight) != 0) {
    if (!cursor.Read(w)) return Malformed(cursor);
    if (!IsFinite(w)) return BadNumber("w");
    if (w == 1) return message::NeedlessWeight();
  }
  event.y = y;
  event.w = w;
  return std::nullopt;
}

template <typename Number>
Refused BinaryEventCodec::ReadNumbers(Cursor& cursor, unsigned flags, Event& event) {
  const bool named = (flags & message::kNamed) != 0;
  std::uint64_t count = 0;
  auto refused = ReadLabelAndWeight<Number>(cursor, flags, event);
  if (refused) return refused;
  if (!cursor.ReadVarint(count)) return Malformed(cursor);
  // The smallest size of a feature. A count that cannot fit the message is rejected before anything
  // is allocated for it.
  const std::size_t feature_bytes = sizeof(Number) + (named ? 1 : 0);
  if (count > cursor.remaining() / feature_bytes) return Reject(Reason::kMalformed, "cut off");
  event.texts.clear();
  if (named) {
    refused = ReadNamed<Number>(cursor, count, event);
    return refused || (flags & message::kHasTexts) == 0 ? refused : ReadTexts(cursor, event);
  }
  ResizeNamed(0, event);
  return ReadDense<Number>(cursor, count, event);
}

template <typename Number>
Refused BinaryEventCodec::ReadNamed(Cursor& cursor, std::size_t count, Event& event) {
  event.x.clear();
  ResizeNamed(count, event);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t length = 0;
    std::string_view name;
    Number value = 0;
    if (!cursor.ReadVarint(length) || !cursor.ReadBytes(length, name) || !cursor.Read(value)) {
      return Malformed(cursor);
    }
    if (!message::IsUtf8(name)) {
      return Reject(Reason::kMalformed,
                    "the name of " + message::FeatureName(true, i) + " is not valid UTF-8");
    }
    if (!IsFinite(value)) return BadNumber(message::FeatureName(true, i));
    event.named[i].first.assign(name);
    event.named[i].second = value;
  }
  return std::nullopt;
}

Refused BinaryEventCodec::ReadTexts(Cursor& cursor, Event& event) {
  std::uint64_t count = 0;
  if (!cursor.ReadVarint(count)) return Malformed(cursor);
  if (count == 0) return message::NeedlessTexts();
  if (count > kMaxFeatures) return message::TooManyTexts();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string_view parts[2];
    for (std::string_view& part : parts) {
      std::uint64_t length = 0;
      if (!cursor.ReadVarint(length) || !cursor.ReadBytes(length, part)) return Malformed(cursor);
      if (message::IsUtf8(part)) continue;
      return Reject(Reason::kMalformed, message::FeatureName(true, event.named.size() + i) +
                                            " or its name is not valid UTF-8");
    }
    event.texts.emplace_back(parts[0], parts[1]);
  }
  return std::nullopt;
}

void BinaryEventCodec::Put(std::string_view text, std::optional<std::string>& to) {
  if (!to) {
    to.emplace();
    if (text.size() > kInlineBytes && !spare_.empty()) {
      to->swap(spare_.back());
      spare_.pop_back();
    }
  }
  to->assign(text);
}

void BinaryEventCodec::Remove(std::optional<std::string>& from) {
  if (!from) return;
  Keep(std::move(*from));
  from.reset();
}

void BinaryEventCodec::ResizeNamed(std::size_t count, Event& event) {
  for (std::size_t i = count; i < event.named.size(); ++i) Keep(std::move(event.named[i].first));
  const std::size_t old = event.named.size();
  event.named.resize(count);
  for (std::size_t i = old; i < count && !spare_.empty(); ++i) {
    event.named[i].first.swap(spare_.back());
    spare_.pop_back();
  }
}

void BinaryEventCodec::Keep(std::string&& buffer) {
  const bool is_worth_it = buffer.capacity() > kInlineBytes && buffer.capacity() <= kMaxIdBytes;
  if (is_worth_it && spare_.size() < kMaxSpareBuffers) spare_.push_back(std::move(buffer));
}

}  // namespace lethe
