// The encoding half of BinaryEventCodec.

#include <cmath>
#include <limits>

#include "connectors/binary/event_codec.h"
#include "connectors/binary/message.h"
#include "engine/admission/feature_hash.h"

namespace lethe {

namespace {

using Refused = std::optional<Rejection>;

std::uint8_t KindByte(EventKind kind) {
  switch (kind) {
    case EventKind::kLearn: return message::kLearn;
    case EventKind::kDelete: return message::kDelete;
    case EventKind::kUpdate: return message::kUpdate;
  }
  return 0;
}

bool IsNamed(const Event& event) { return event.x.empty(); }

void AppendText(std::string_view text, std::string& out) {
  wire::AppendVarint(text.size(), out);
  out.append(text);
}

// Checks that a message can hold the texts of the event.
Refused CheckTexts(const Event& event, bool writes_subject) {
  if (event.id) {
    if (auto refused = message::CheckText(*event.id, 1, kMaxIdBytes, "id")) return refused;
  }
  if (writes_subject) {
    if (auto bad = message::CheckKey(*event.subject, "subject")) return bad;
  }
  if (event.kind == EventKind::kUpdate && !event.id) return message::UpdateWithoutId();
  if (event.kind != EventKind::kDelete) return std::nullopt;
  if (!event.id && !event.subject) return message::DeleteWithoutTarget();
  if (!event.request) return std::nullopt;
  return message::CheckText(*event.request, 0, kMaxRequestBytes, "request");
}

template <typename Number>
bool Fits(double number) {
  return std::abs(number) <= static_cast<double>(std::numeric_limits<Number>::max());
}

Rejection DoesNotFit(double number, const std::string& name) {
  const bool is_finite = std::isfinite(number);
  return message::Reject(Reason::kNotFinite,
                         name + (is_finite ? " is too large for float32" : " is not finite"));
}

// A weight that is 1 once it is rounded to the width is left out.
template <typename Number>
bool WritesWeight(const Event& event) {
  return static_cast<Number>(event.w) != 1;
}

template <typename Number>
Refused AppendNumbers(const Event& event, std::string& out) {
  if (event.label) {
    if (!message::IsUtf8(*event.label)) {
      return message::Reject(Reason::kMalformed, "y is not valid UTF-8");
    }
    AppendText(*event.label, out);
  } else {
    if (!Fits<Number>(event.y)) return DoesNotFit(event.y, "y");
    wire::Append(static_cast<Number>(event.y), out);
  }
  if (!Fits<Number>(event.w)) return DoesNotFit(event.w, "w");
  if (WritesWeight<Number>(event)) wire::Append(static_cast<Number>(event.w), out);
  const bool named = IsNamed(event);
  const std::size_t count = named ? event.named.size() : event.x.size();
  wire::AppendVarint(count, out);
  for (std::size_t i = 0; i < count; ++i) {
    if (named) {
      const std::string& name = event.named[i].first;
      if (!message::IsUtf8(name)) {
        return message::Reject(Reason::kMalformed, "the name of " + message::FeatureName(true, i) +
                                                       " is not valid UTF-8");
      }
      AppendText(name, out);
    }
    const double value = named ? event.named[i].second : event.x[i];
    if (!Fits<Number>(value)) return DoesNotFit(value, message::FeatureName(named, i));
    wire::Append(static_cast<Number>(value), out);
  }
  return std::nullopt;
}

bool WritesTexts(const Event& event) { return IsNamed(event) && !event.texts.empty(); }

Refused AppendTexts(const NamedTexts& texts, std::string& out) {
  if (texts.size() > kMaxFeatures) return message::TooManyTexts();
  wire::AppendVarint(texts.size(), out);
  for (const auto& [name, text] : texts) {
    if (!message::IsUtf8(name) || !message::IsUtf8(text)) {
      return message::Reject(Reason::kMalformed,
                             "a text among the features, or its name, is not valid UTF-8");
    }
    AppendText(name, out);
    AppendText(text, out);
  }
  return std::nullopt;
}

bool IsInexact(double number) {
  return !Fits<float>(number) || static_cast<double>(static_cast<float>(number)) != number;
}

}  // namespace

Refused BinaryEventCodec::Encode(const Event& event, NumberWidth width, std::string& out) const {
  const bool is_delete = event.kind == EventKind::kDelete;
  const bool writes_subject = event.subject && !(is_delete && event.id);
  const bool writes_request = event.request && is_delete;
  const bool is_float32 = width == NumberWidth::kFloat32;
  if (auto refused = CheckTexts(event, writes_subject)) return refused;

  unsigned flags = 0;
  if (event.id) flags |= message::kHasId;
  if (writes_subject) flags |= message::kHasSubject;
  if (writes_request) flags |= message::kHasRequest;
  if (is_delete && event.id && event.is_replaced) flags |= message::kIsReplaced;
  if (!is_delete && is_float32) flags |= message::kFloat32;
  if (!is_delete && IsNamed(event)) flags |= message::kNamed;
  if (!is_delete && WritesTexts(event)) flags |= message::kHasTexts;
  if (!is_delete && event.label) flags |= message::kHasLabel;
  if (!is_delete && (is_float32 ? WritesWeight<float>(event) : WritesWeight<double>(event))) {
    flags |= message::kHasWeight;
  }

  const std::size_t start = out.size();
  wire::Append(message::kMagic, out);
  wire::Append(message::kVersion, out);
  wire::Append(KindByte(event.kind), out);
  wire::Append(static_cast<std::uint8_t>(flags), out);
  if (event.id) AppendText(*event.id, out);
  if (writes_subject) AppendText(*event.subject, out);
  if (writes_request) AppendText(*event.request, out);

  Refused refused;
  if (!is_delete) {
    refused = is_float32 ? AppendNumbers<float>(event, out) : AppendNumbers<double>(event, out);
  }
  if (!refused && !is_delete && WritesTexts(event)) refused = AppendTexts(event.texts, out);
  if (!refused && out.size() - start > max_bytes_) refused = message::TooLarge(max_bytes_);
  if (refused) out.resize(start);
  return refused;
}

std::size_t CountInexactInFloat32(const Event& event) {
  if (event.kind == EventKind::kDelete) return 0;
  std::size_t count = !event.label && IsInexact(event.y) ? 1 : 0;
  count += IsInexact(event.w) ? 1 : 0;
  for (const double value : event.x) count += IsInexact(value) ? 1 : 0;
  for (const auto& [name, value] : event.named) count += IsInexact(value) ? 1 : 0;
  return count;
}

}  // namespace lethe
