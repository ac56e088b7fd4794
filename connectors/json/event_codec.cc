#include "connectors/json/event_codec.h"

#include <cstdint>
#include <string>

#include "connectors/binary/event_codec.h"
#include "connectors/json/base64.h"
#include "connectors/json/canonical.h"
#include "connectors/json/event_reader.h"
#include "connectors/json/members.h"
#include "connectors/json/recovery.h"
#include "connectors/json/text_parser.h"
#include "connectors/record_limits.h"

namespace lethe {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

using Refused = std::optional<Rejection>;

constexpr std::size_t kSchemaPrefixBytes = 5;

std::string_view SkipSchemaPrefix(std::string_view value) {
  const bool has_prefix = value.size() >= kSchemaPrefixBytes && value.front() == '\0';
  return has_prefix ? value.substr(kSchemaPrefixBytes) : value;
}

// Whether a line is an envelope. A line with features or a label but no type is an event whose
// producer forgot the type. Reading it as a tombstone would delete what it meant to add.
bool IsEnvelope(const Members& line) {
  if (line.Has(Field::kValue) || line.Has(Field::kValueBase64)) return true;
  const bool is_example = line.Has(Field::kX) || line.Has(Field::kF) || line.Has(Field::kY);
  return (line.Has(Field::kKey) || line.Has(Field::kKeyBase64)) && !line.Has(Field::kType) &&
         !is_example;
}

bool ReadBase64(const element& found, std::string& bytes) {
  std::string_view text;
  return found.get(text) == simdjson::SUCCESS && FromBase64(text, bytes);
}

// Reads an optional member of the position. Leaves `place` unchanged if the member is absent.
Refused ReadPlace(const Members& envelope, Field field, std::int64_t max, std::int64_t& place) {
  const element* found = envelope.FindNonNull(field);
  if (found == nullptr || ReadCount(*found, max, place)) return std::nullopt;
  return WrongType(field, "an integer from 0 to " + std::to_string(max));
}

// Reads the position of an envelope, and stops at the first member that is unreadable: an offset
// means nothing without its partition.
Refused ReadPlaces(const Members& envelope, Record& record) {
  if (auto refused = ReadPlace(envelope, Field::kPartition, kMaxPartition, record.shard.value)) {
    return refused;
  }
  if (auto refused = ReadPlace(envelope, Field::kOffset, kMaxOffset, record.offset.value)) {
    return refused;
  }
  if (auto refused = ReadPlace(envelope, Field::kTimestamp, kMaxTimeMs, record.timestamp.value)) {
    return refused;
  }
  record.is_broker_time =
      record.timestamp != kNoTime && envelope.Equals(Field::kTimestampType, kBrokerTimeType);
  return ReadPlace(envelope, Field::kArrival, kMaxTimeMs, record.arrival.value);
}

}  // namespace

struct JsonEventCodec::Scratch {
  TextParser parser{kMaxDepth};
  BinaryEventCodec binary;
  std::string key;    // the key of the current envelope
  std::string bytes;  // the decoded "value_base64" of the current envelope

  Refused Parse(std::string_view text, bool envelope, std::size_t max_bytes, ParsedText& parsed);
  Refused ReadLine(const ParsedText& line, std::size_t max_bytes, Record& record);
  Refused ReadEnvelope(const Members& envelope, double bound, std::size_t max_bytes,
                       Record& record);
  Refused ReadMessage(const std::optional<std::string_view>& subject, std::size_t max_bytes,
                      Event& event);
};

Refused JsonEventCodec::Scratch::Parse(std::string_view text, bool envelope, std::size_t max_bytes,
                                       ParsedText& parsed) {
  Refused refused;
  if (text.size() > max_bytes) {
    refused = Reject(Reason::kTooLarge, "larger than " + std::to_string(max_bytes) + " bytes");
  } else if (const auto error = parser.Parse(text, parsed); error != simdjson::SUCCESS) {
    refused = Reject(Reason::kMalformed, DescribeParseError(error));
  }
  if (refused) refused->is_request = LooksLikeDelete(text.substr(0, max_bytes), envelope);
  return refused;
}

Refused JsonEventCodec::Scratch::ReadLine(const ParsedText& line, std::size_t max_bytes,
                                          Record& record) {
  object members;
  if (line.root.get(members) != simdjson::SUCCESS) {
    return ReadEvent(line.root, line.bound, std::nullopt, record.event);
  }
  const Members found(members);
  if (IsEnvelope(found)) return ReadEnvelope(found, line.bound, max_bytes, record);
  return ReadEvent(found, line.bound, std::nullopt, record.event);
}

// Decodes the message in `bytes`, which the line carried as Base64.
Refused JsonEventCodec::Scratch::ReadMessage(const std::optional<std::string_view>& subject,
                                             std::size_t max_bytes, Event& event) {
  if (BinaryEventCodec::IsMessage(bytes)) return binary.DecodeValue(bytes, subject, event);
  ParsedText parsed;
  if (auto refused = Parse(SkipSchemaPrefix(bytes), false, max_bytes, parsed)) return refused;
  return ReadEvent(parsed.root, parsed.bound, subject, event);
}

Refused JsonEventCodec::Scratch::ReadEnvelope(const Members& envelope, double bound,
                                              std::size_t max_bytes, Record& record) {
  const element* value = envelope.Find(Field::kValue);
  const element* raw = value == nullptr ? envelope.Find(Field::kValueBase64) : nullptr;
  Refused refused = ReadPlaces(envelope, record);
  const element* named_key = envelope.FindNonNull(Field::kKey);
  const element* raw_key = named_key == nullptr ? envelope.Find(Field::kKeyBase64) : nullptr;
  if (!refused && named_key != nullptr && !ReadText(*named_key, key)) {
    refused = WrongType(Field::kKey, "a string");
  }
  if (!refused && raw_key != nullptr && !ReadBase64(*raw_key, key)) {
    refused = WrongType(Field::kKeyBase64, "a string of Base64");
  }
  if (!refused && raw != nullptr && !ReadBase64(*raw, bytes)) {
    refused = WrongType(Field::kValueBase64, "a string of Base64");
  }
  if (refused) {
    refused->is_request = value == nullptr ? raw == nullptr : IsDelete(*value);
    return refused;
  }
  std::optional<std::string_view> subject;
  if (named_key != nullptr || raw_key != nullptr) subject = key;
  // Nothing of the parsed line is needed any more, so its parser may parse the message inside.
  if (raw != nullptr) return ReadMessage(subject, max_bytes, record.event);
  if (value == nullptr) return ReadTombstone(subject, record.event);
  return ReadEvent(*value, bound, subject, record.event);
}

JsonEventCodec::JsonEventCodec(std::size_t max_bytes)
    : max_bytes_(max_bytes), scratch_(std::make_unique<Scratch>()) {}

JsonEventCodec::~JsonEventCodec() = default;

Refused JsonEventCodec::DecodeValue(const std::optional<std::string_view>& value,
                                    const std::optional<std::string_view>& key, Event& event) {
  ParsedText parsed;
  Refused refused;
  if (!value) {
    refused = ReadTombstone(key, event);
  } else {
    const std::string_view text = SkipSchemaPrefix(*value);
    if (text.size() <= max_bytes_ && ReadCanonicalLearn(text, key, event)) return std::nullopt;
    refused = scratch_->Parse(text, false, max_bytes_, parsed);
    if (!refused) refused = ReadEvent(parsed.root, parsed.bound, key, event);
  }
  if (refused) event.Clear();
  return refused;
}

bool JsonEventCodec::ReadLearnView(std::string_view text,
                                   const std::optional<std::string_view>& key,
                                   std::vector<double>& x, LearnView& learn) const {
  return text.size() <= max_bytes_ && ReadCanonicalLearn(text, key, x, learn) && !learn.id.empty();
}

void JsonEventCodec::DecodeLine(std::string_view line, Record& record) {
  record.shard = ShardId{};
  record.offset = kNoOffset;
  record.timestamp = kNoTime;
  record.arrival = kNoTime;
  record.is_broker_time = false;
  if (line.size() <= max_bytes_ && ReadCanonicalLearn(line, std::nullopt, record.event)) {
    record.rejection.reset();
    return;
  }
  ParsedText parsed;
  record.rejection = scratch_->Parse(line, true, max_bytes_, parsed);
  if (!record.rejection) record.rejection = scratch_->ReadLine(parsed, max_bytes_, record);
  if (record.rejection) record.event.Clear();
}

}  // namespace lethe
