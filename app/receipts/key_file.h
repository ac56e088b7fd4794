#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "connectors/system/signing_key.h"
#include "engine/base/status.h"
#include "engine/ports/signer.h"

namespace lethe {

// The key that signs the receipts of a state, and the public halves of those before it, oldest
// first: STATE.PATH/signing-key, readable by its owner only.
struct KeyFile {
  SigningKey key;
  std::vector<PublicKey> retired;

  static std::string PathIn(const std::string& state_path) { return state_path + "/signing-key"; }
  // None if the state has no key yet. kInput: damaged, or others may read it.
  static Result<std::optional<KeyFile>> Read(const std::string& state_path);
  Status Write(const std::string& state_path) const;

  // lethe.keys/1, the present key first.
  std::string ToJson() const;
};

// The public keys in a lethe.keys/1 document, or in a text that is one key.
std::optional<std::vector<PublicKey>> ReadPublicKeys(std::string_view text);

// Signs with the key of a state. It is made at the first start.
class ReceiptSigner final : public Signer {
 public:
  static Result<std::unique_ptr<ReceiptSigner>> Open(const std::string& state_path);

  std::string Envelope(std::string_view bytes) const override;
  std::string Keys() const override;
  // Of the envelope, alone: 64 bytes.
  std::string Signature(std::string_view bytes) const;
  const PublicKey& public_key() const { return file_.key.public_key(); }

  // The keys from `announced`, which a chain knows, to the present one. A key that the file has
  // lost is written down again.
  Result<std::vector<PublicKey>> Since(const PublicKey& announced);

 private:
  ReceiptSigner(std::string state_path, KeyFile file)
      : state_path_(std::move(state_path)), file_(std::move(file)) {}

  const std::string state_path_;
  mutable std::mutex mutex_;  // over file_.retired
  KeyFile file_;
};

}  // namespace lethe
