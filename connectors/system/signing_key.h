#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lethe {

// The public half of an Ed25519 key (RFC 8032).
struct PublicKey {
  std::array<std::uint8_t, 32> bytes{};

  // Base64 of the 32 bytes, and back; none for any other text.
  std::string ToText() const;
  static std::optional<PublicKey> FromText(std::string_view text);
  // The SHA-256 of the 32 bytes, in hex: the keyid of envelopes.
  std::string Id() const;

  bool Verifies(std::string_view message, std::string_view signature) const;

  bool operator==(const PublicKey&) const = default;
};

// An Ed25519 key that signs. Signatures are deterministic: the same message gets the same bytes.
// The secret is wiped from memory when this goes.
class SigningKey {
 public:
  using Seed = std::array<std::uint8_t, 32>;

  static SigningKey Generate();
  explicit SigningKey(const Seed& seed);
  SigningKey(const SigningKey&) = default;
  SigningKey& operator=(const SigningKey&) = default;
  ~SigningKey();

  const Seed& seed() const { return seed_; }
  const PublicKey& public_key() const { return public_key_; }
  // 64 bytes.
  std::string Sign(std::string_view message) const;

 private:
  Seed seed_;
  std::array<std::uint8_t, 64> secret_{};
  PublicKey public_key_;
};

}  // namespace lethe
