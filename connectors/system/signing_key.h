#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lethe {

// The public half of an Ed25519 key (RFC 8032). A plain value; its methods are thread-safe.
struct PublicKey {
  std::array<std::uint8_t, 32> bytes{};

  // The 32 bytes in Base64, and the reverse; nothing for any other text.
  std::string ToText() const;
  static std::optional<PublicKey> FromText(std::string_view text);
  // The SHA-256 of the 32 bytes in hexadecimal: the keyid of envelopes.
  std::string Id() const;

  // Whether `signature` is this key's signature of `message`. False for a signature of another
  // size.
  bool Verifies(std::string_view message, std::string_view signature) const;

  bool operator==(const PublicKey&) const = default;
};

// A secret Ed25519 key. Signatures are deterministic: the same message gets the same bytes. Const
// methods are thread-safe. Every copy wipes its secret from memory when it is destroyed. Signing
// cannot fail.
class SigningKey {
 public:
  using Seed = std::array<std::uint8_t, 32>;

  // A new key from the randomness of the operating system.
  static SigningKey Generate();
  explicit SigningKey(const Seed& seed);
  SigningKey(const SigningKey&) = default;
  SigningKey& operator=(const SigningKey&) = default;
  ~SigningKey();

  // The secret from which the key is derived.
  const Seed& seed() const { return seed_; }
  const PublicKey& public_key() const { return public_key_; }
  // The signature, 64 bytes.
  std::string Sign(std::string_view message) const;

 private:
  Seed seed_;
  std::array<std::uint8_t, 64> secret_{};
  PublicKey public_key_;
};

}  // namespace lethe
