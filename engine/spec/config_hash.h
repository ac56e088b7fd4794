#pragma once

#include <string>

#include "engine/base/json.h"
#include "engine/ports/hash.h"
#include "engine/spec/spec.h"

namespace lethe {

// The member "config" of receipts and models: the SHA-256 of the certificate part, in hex.
inline std::string ConfigSha256(const Spec& spec, const Hasher& hasher) {
  const Digest digest = hasher.Sha256(CertificatePart(spec));
  return ToHex(digest.data(), digest.size());
}

}  // namespace lethe
