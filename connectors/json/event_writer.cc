#include "connectors/json/event_writer.h"

#include <charconv>
#include <cmath>
#include <utility>

#include <simdjson.h>

#include "connectors/file/line_reader.h"
#include "connectors/json/base64.h"
#include "connectors/json/members.h"
#include "engine/base/json.h"

namespace lethe {

namespace {

constexpr std::size_t kMaxLineBytes = LineReader::kDefaultMaxLineBytes;

const char* TypeName(EventKind kind) {
  switch (kind) {
    case EventKind::kLearn: return "learn";
    case EventKind::kDelete: return "delete";
    case EventKind::kUpdate: return "update";
  }
  return "";
}

void WriteNumber(double number, JsonWriter& json) {
  // "-0" would be read as an integer, and the integer 0 has no sign. An integer above 64 bits would
  // be read on the slow path (recovery.h), so a large number is written with an exponent.
  constexpr double kIntegerBound = 0x1p63;
  if (number == 0 && std::signbit(number)) {
    json.Raw("-0.0");
  } else if (std::abs(number) < kIntegerBound) {
    json.Value(number);
  } else {
    char text[32];
    const auto end =
        std::to_chars(text, text + sizeof text, number, std::chars_format::scientific).ptr;
    json.Raw({text, static_cast<std::size_t>(end - text)});
  }
}

void WriteFeatures(const Event& event, JsonWriter& json) {
  if (!event.x.empty()) {
    json.Key("x").BeginArray();
    for (const double value : event.x) WriteNumber(value, json);
    json.EndArray();
  } else {
    json.Key("f").BeginObject();
    for (const auto& [name, value] : event.named) WriteNumber(value, json.Key(name));
    for (const auto& [name, text] : event.texts) json.Field(name, text);
    json.EndObject();
  }
}

void WriteEvent(const Event& event, bool bare, JsonWriter& json) {
  json.BeginObject().Field("type", TypeName(event.kind));
  if (event.id) json.Field("id", *event.id);
  if (bare && event.subject) json.Field("subject", *event.subject);
  if (event.kind == EventKind::kDelete) {
    if (event.is_replaced) json.Field("cause", "update");
    if (event.request) json.Field("request", *event.request);
  } else {
    WriteFeatures(event, json);
    json.Key("y");
    event.label ? void(json.Value(*event.label)) : WriteNumber(event.y, json);
    if (event.w != 1) WriteNumber(event.w, json.Key("w"));
  }
  json.EndObject();
}

void WriteEnvelope(const Record& record, JsonWriter& json) {
  json.BeginObject();
  if (record.event.subject) WriteKey(*record.event.subject, json);
  json.Field("partition", record.shard.value).Field("offset", record.offset.value);
  if (record.timestamp != kNoTime) json.Field("timestamp", record.timestamp.value);
  if (record.position().is_broker_time) json.Field("timestamp_type", kBrokerTimeType);
  if (record.arrival != kNoTime) json.Field("arrival", record.arrival.value);
  WriteEvent(record.event, false, json.Key("value"));
  json.EndObject();
}

}  // namespace

void WriteKey(std::string_view key, JsonWriter& json) {
  if (simdjson::validate_utf8(key)) {
    json.Field("key", key);
  } else {
    json.Field("key_base64", ToBase64(key));
  }
}

std::optional<Rejection> WriteJsonLine(const Record& record, bool bare, std::string& line) {
  if (record.rejection) return record.rejection;
  JsonWriter json;
  bare ? WriteEvent(record.event, true, json) : WriteEnvelope(record, json);
  if (json.text().size() > kMaxLineBytes) {
    return Reject(Reason::kTooLarge,
                  "larger than " + std::to_string(kMaxLineBytes) + " bytes as a line of JSON");
  }
  if (!simdjson::validate_utf8(json.text())) {
    return Reject(Reason::kMalformed, "a text is not valid UTF-8");
  }
  line = json.text();
  return std::nullopt;
}

Result<std::unique_ptr<RecordWriter>> JsonFileWriter::Open(const std::string& path, bool bare) {
  auto out = StreamWriter::Open(path);
  if (!out.ok()) return out.status();
  return std::unique_ptr<RecordWriter>(new JsonFileWriter(std::move(out).value(), bare));
}

JsonFileWriter::JsonFileWriter(std::unique_ptr<StreamWriter> out, bool bare)
    : out_(std::move(out)), bare_(bare) {}

Status JsonFileWriter::Write(const Record& record, std::optional<Rejection>& refused) {
  const bool has_bare_place = record.shard == ShardId{} && record.offset == next_ &&
                              record.timestamp == kNoTime && record.arrival == kNoTime &&
                              !record.is_broker_time;
  const auto& subject = record.event.subject;
  const bool is_text = !subject || simdjson::validate_utf8(*subject);
  const bool bare = bare_ && has_bare_place && is_text;
  refused = WriteJsonLine(record, bare, line_);
  if (refused) return Status::Ok();
  bare_ = bare;
  ++next_.value;
  return out_->WriteLine(line_);
}

}  // namespace lethe
