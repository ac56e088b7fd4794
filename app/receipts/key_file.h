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

// The key file of a state, STATE.PATH/signing-key: the key that signs its receipts, and the public
// keys that were used before, oldest first. Only the owner may read it.
struct KeyFile {
  SigningKey key;
  std::vector<PublicKey> retired;

  static std::string PathIn(const std::string& state_path) { return state_path + "/signing-key"; }
  // None if the state has no key yet. kInput if the file is damaged, or if others may read it.
  static Result<std::optional<KeyFile>> Read(const std::string& state_path);
  // Replaces the file as a whole. kDisk if that fails; the old file is then still there.
  Status Write(const std::string& state_path) const;

  // The public keys as lethe.keys/1, the present key first.
  std::string ToJson() const;
};

// The public keys in a lethe.keys/1 document, or in a text that is one key. None if it is neither.
std::optional<std::vector<PublicKey>> ReadPublicKeys(std::string_view text);

// The signer of a daemon: signs receipts and notices with the key of the state. Thread-safe.
class ReceiptSigner final : public Signer {
 public:
  // Reads the key, or makes one at the first start. Errors as those of KeyFile.
  static Result<std::unique_ptr<ReceiptSigner>> Open(const std::string& state_path);

  std::string Envelope(std::string_view bytes) const override;
  std::string Keys() const override;
  // The signature of the envelope alone: 64 bytes.
  std::string Signature(std::string_view bytes) const;
  const PublicKey& public_key() const { return file_.key.public_key(); }

  // The public keys from `announced`, the last one that a chain names, to the present one. If the
  // file does not have `announced`, it is added to the file.
  Result<std::vector<PublicKey>> Since(const PublicKey& announced);

 private:
  ReceiptSigner(std::string state_path, KeyFile file)
      : state_path_(std::move(state_path)), file_(std::move(file)) {}

  const std::string state_path_;
  mutable std::mutex mutex_;  // protects file_.retired
  KeyFile file_;
};

}  // namespace lethe
