#pragma once

#include <string>
#include <string_view>

namespace lethe {

// Signs entries of the receipt chain, so that a third party can verify them offline. Thread-safe.
class Signer {
 public:
  virtual ~Signer() = default;

  // A signed envelope that contains exactly these bytes.
  virtual std::string Envelope(std::string_view bytes) const = 0;
  // The present and past public keys, as a document lethe.keys/1.
  virtual std::string Keys() const = 0;
};

}  // namespace lethe
