#pragma once

#include <string>
#include <string_view>

#include "connectors/system/signing_key.h"
#include "engine/base/status.h"

namespace lethe {

// The payload type of everything that Lethe signs; `format` inside says what it is.
inline constexpr char kPayloadType[] = "application/vnd.lethe+json";

// A DSSE envelope (https://github.com/secure-systems-lab/dsse, version 1) with one signature.
struct Envelope {
  std::string payload;  // the exact bytes
  std::string key_id;
  std::string signature;

  bool IsSignedBy(const PublicKey& key) const;
};

// What is signed: "DSSEv1", the type and the payload, each with its length.
std::string PreAuthEncoding(std::string_view payload);

// One line of JSON, without its end.
std::string WriteEnvelope(std::string_view payload, const SigningKey& key);

std::string ToJson(const Envelope& envelope);

// Whether the text is an envelope at all, well-formed or not.
bool LooksLikeEnvelope(std::string_view text);
// kInput: not an envelope of ours. The signature is not looked at.
Result<Envelope> ReadEnvelope(std::string_view text);

// The payload if the text is an envelope of ours, or else the text itself. Nothing is verified.
std::string WithoutEnvelope(std::string text);

}  // namespace lethe
