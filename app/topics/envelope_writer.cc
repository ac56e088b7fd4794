#include "app/topics/envelope_writer.h"

#include "connectors/file/line_reader.h"
#include "connectors/json/base64.h"
#include "connectors/json/event_writer.h"
#include "connectors/json/members.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

bool IsSame(const Event& a, const Event& b) {
  return a.kind == b.kind && a.id == b.id && a.subject == b.subject && a.request == b.request &&
         a.is_replaced == b.is_replaced && a.x == b.x && a.named == b.named && a.texts == b.texts &&
         a.y == b.y;
}

}  // namespace

Result<std::unique_ptr<EnvelopeWriter>> EnvelopeWriter::Open(const std::string& path) {
  auto out = StreamWriter::Open(path);
  if (!out.ok()) return out.status();
  return std::unique_ptr<EnvelopeWriter>(new EnvelopeWriter(std::move(out).value()));
}

void EnvelopeWriter::MakeLine(const FoundMessage& message, TimeMs arrival, bool as_base64) {
  JsonWriter json;
  json.BeginObject();
  if (message.key) WriteKey(*message.key, json);
  json.Field("partition", std::int64_t{message.partition}).Field("offset", message.offset.value);
  if (message.timestamp != kNoTime) json.Field("timestamp", message.timestamp.value);
  if (message.is_broker_time) json.Field("timestamp_type", kBrokerTimeType);
  if (arrival != kNoTime) json.Field("arrival", arrival.value);
  if (as_base64) {
    json.Field("value_base64", ToBase64(*message.value));
  } else {
    json.Key("value").Raw(message.value.value_or("null"));
  }
  line_ = json.EndObject().text();
}

bool EnvelopeWriter::ReadsBackAs(const Record& record) {
  if (line_.size() > LineReader::kDefaultMaxLineBytes) return false;
  codec_.DecodeLine(line_, back_);
  if (back_.shard != record.shard || back_.offset != record.offset ||
      back_.timestamp != record.timestamp || back_.arrival != record.arrival ||
      back_.is_broker_time != record.is_broker_time || !back_.rejection != !record.rejection) {
    return false;
  }
  if (!record.rejection) return IsSame(back_.event, record.event);
  return back_.rejection->reason == record.rejection->reason &&
         back_.rejection->is_request == record.rejection->is_request;
}

Status EnvelopeWriter::Write(const FoundMessage& message, const Record& record, bool& is_kept) {
  // A value with an end of line would become two lines. An empty or binary value is not JSON.
  const bool is_line = !message.value || (message.value->starts_with('{') &&
                                          message.value->find('\n') == std::string::npos);
  is_kept = false;
  if (is_line) {
    MakeLine(message, record.arrival, false);
    is_kept = ReadsBackAs(record);
  }
  if (!is_kept && message.value) {
    MakeLine(message, record.arrival, true);
    is_kept = ReadsBackAs(record);
  }
  return is_kept ? out_->WriteLine(line_) : Status::Ok();
}

}  // namespace lethe
