#include "connectors/json/envelope.h"

#include <simdjson.h>

#include "connectors/json/base64.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

namespace dom = simdjson::dom;

// Decodes the Base64 string at `key`. False if there is no such string.
bool Decoded(const dom::element& object, const char* key, std::string& bytes) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS && FromBase64(text, bytes);
}

// Whether the object has the member exactly once. If a member is repeated, some readers take the
// first and others the last: one could then verify another payload than the one that is read.
bool HasOnce(const dom::element& element, std::string_view key) {
  dom::object object;
  if (element.get(object) != simdjson::SUCCESS) return false;
  std::size_t times = 0;
  for (const dom::key_value_pair member : object) times += member.key == key ? 1 : 0;
  return times == 1;
}

}  // namespace

std::string PreAuthEncoding(std::string_view payload) {
  const std::string_view type = kPayloadType;
  return "DSSEv1 " + std::to_string(type.size()) + " " + std::string(type) + " " +
         std::to_string(payload.size()) + " " + std::string(payload);
}

bool Envelope::IsSignedBy(const PublicKey& key) const {
  return key.Verifies(PreAuthEncoding(payload), signature);
}

std::string ToJson(const Envelope& envelope) {
  JsonWriter json;
  json.BeginObject().Field("payload", ToBase64(envelope.payload));
  json.Field("payloadType", kPayloadType).Key("signatures").BeginArray().BeginObject();
  json.Field("keyid", envelope.key_id).Field("sig", ToBase64(envelope.signature));
  return json.EndObject().EndArray().EndObject().text();
}

std::string WriteEnvelope(std::string_view payload, const SigningKey& key) {
  return ToJson({.payload = std::string(payload),
                 .key_id = key.public_key().Id(),
                 .signature = key.Sign(PreAuthEncoding(payload))});
}

bool LooksLikeEnvelope(std::string_view text) {
  return text.find("\"payloadType\"") != std::string_view::npos;
}

Result<Envelope> ReadEnvelope(std::string_view text) {
  dom::parser parser;
  dom::element object;
  dom::array signatures;
  std::string_view type;
  std::string_view key_id;
  Envelope envelope;
  if (parser.parse(simdjson::padded_string(text)).get(object) != simdjson::SUCCESS ||
      object["payloadType"].get(type) != simdjson::SUCCESS || type != kPayloadType ||
      !HasOnce(object, "payload") || !Decoded(object, "payload", envelope.payload) ||
      object["signatures"].get(signatures) != simdjson::SUCCESS || signatures.size() != 1 ||
      signatures.at(0)["keyid"].get(key_id) != simdjson::SUCCESS ||
      !Decoded(signatures.at(0).value_unsafe(), "sig", envelope.signature)) {
    return Status(ErrorCode::kInput, "is not an envelope with one signature");
  }
  envelope.key_id = key_id;
  return envelope;
}

std::string WithoutEnvelope(std::string text) {
  if (!LooksLikeEnvelope(text)) return text;
  auto envelope = ReadEnvelope(text);
  return envelope.ok() ? std::move(envelope.value().payload) : text;
}

}  // namespace lethe
