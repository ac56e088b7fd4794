#pragma once

#include <string>
#include <string_view>

namespace lethe {

// Signs entries of the chain, for whoever has to believe them without asking us. Thread-safe.
class Signer {
 public:
  virtual ~Signer() = default;

  // The exact bytes in a signed envelope.
  virtual std::string Envelope(std::string_view bytes) const = 0;
  // The public keys, present and past, as lethe.keys/1.
  virtual std::string Keys() const = 0;
};

}  // namespace lethe
