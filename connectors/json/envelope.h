#pragma once

#include <string>
#include <string_view>

#include "connectors/system/signing_key.h"
#include "engine/base/status.h"

namespace lethe {

// The payload type of everything that Lethe signs; "format" in the payload names the document type.
inline constexpr char kPayloadType[] = "application/vnd.lethe+json";

// A DSSE envelope (https://github.com/secure-systems-lab/dsse, version 1) with one signature. A
// plain value. All functions here are thread-safe.
struct Envelope {
  std::string payload;  // the exact bytes
  std::string key_id;
  std::string signature;

  // Whether `signature` is this key's signature of the payload. Does not look at key_id.
  bool IsSignedBy(const PublicKey& key) const;
};

// The bytes that are signed: "DSSEv1", then the type and the payload, each with its length.
std::string PreAuthEncoding(std::string_view payload);

// Signs the payload and returns the envelope as one line of JSON, without the end of line.
std::string WriteEnvelope(std::string_view payload, const SigningKey& key);

std::string ToJson(const Envelope& envelope);

// Whether the text is meant as an envelope, well-formed or not.
bool LooksLikeEnvelope(std::string_view text);
// Parses an envelope; kInput if the text is not one that Lethe could have written. The signature is
// not verified.
Result<Envelope> ReadEnvelope(std::string_view text);

// The payload if ReadEnvelope accepts the text, and otherwise the text itself. Verifies nothing.
std::string WithoutEnvelope(std::string text);

}  // namespace lethe
