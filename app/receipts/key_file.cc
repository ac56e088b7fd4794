#include "app/receipts/key_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include <simdjson.h>

#include "connectors/json/base64.h"
#include "connectors/json/envelope.h"
#include "connectors/system/sodium_hash.h"
#include "engine/base/json.h"
#include "state/store/private_file.h"

namespace lethe {
namespace {

constexpr std::string_view kMagic = "lethe.signing-key/1\n";

// The checksum at the end of the file. Any 32 bytes are a valid seed, so nothing else would show
// that the file was changed.
std::string LastLine(std::string_view text) {
  const Digest digest = SodiumHasher().Sha256(text);
  return "sha256 " + ToHex(digest.data(), digest.size()) + "\n";
}

void WriteKey(JsonWriter& json, const PublicKey& key, bool is_current) {
  json.BeginObject().Field("keyid", key.Id()).Field("algorithm", "ed25519");
  json.Field("public", key.ToText()).Field("current", is_current).EndObject();
}

std::optional<KeyFile> Parsed(std::string text) {
  const std::size_t last = text.rfind("sha256 ");
  if (!text.starts_with(kMagic) || last == std::string::npos ||
      text.substr(last) != LastLine(text.substr(0, last))) {
    return std::nullopt;
  }
  text.resize(last);
  std::istringstream lines(text.substr(kMagic.size()));
  std::string secret;
  std::string raw;
  if (!std::getline(lines, secret) || !FromBase64(secret, raw) ||
      raw.size() != sizeof(SigningKey::Seed)) {
    return std::nullopt;
  }
  SigningKey::Seed seed;
  std::copy(raw.begin(), raw.end(), seed.begin());
  KeyFile file{.key = SigningKey(seed), .retired = {}};
  for (std::string line; std::getline(lines, line);) {
    const auto key = PublicKey::FromText(line);
    if (!key) return std::nullopt;
    file.retired.push_back(*key);
  }
  return file;
}

}  // namespace

Result<std::optional<KeyFile>> KeyFile::Read(const std::string& state_path) {
  const std::string path = PathIn(state_path);
  const auto text = ReadWholeFile(path);
  if (!text.ok()) return text.status();
  if (!text.value()) return std::optional<KeyFile>();
  struct stat found = {};
  if (stat(path.c_str(), &found) == 0 && (found.st_mode & 077) != 0) {
    return Status(ErrorCode::kInput, path +
                                         " can be read by others than its owner: a reader of it "
                                         "can forge receipts. chmod 600 it, and if somebody may "
                                         "have read it, lethe receipts rotate-key");
  }
  auto file = Parsed(*text.value());
  if (!file) {
    return Status(ErrorCode::kInput,
                  path +
                      " is damaged. Bring it back, or remove it: a new key is made at the "
                      "next start, and the chain says so");
  }
  return file;
}

Status KeyFile::Write(const std::string& state_path) const {
  std::string text(kMagic);
  text += ToBase64({reinterpret_cast<const char*>(key.seed().data()), key.seed().size()}) + "\n";
  for (const PublicKey& old : retired) text += old.ToText() + "\n";
  return WritePrivateFile(PathIn(state_path), text + LastLine(text));
}

std::string KeyFile::ToJson() const {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.keys/1").Key("keys").BeginArray();
  WriteKey(json, key.public_key(), true);
  for (auto old = retired.rbegin(); old != retired.rend(); ++old) WriteKey(json, *old, false);
  return json.EndArray().EndObject().text();
}

std::optional<std::vector<PublicKey>> ReadPublicKeys(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  if (const auto key = PublicKey::FromText(text)) return std::vector{*key};
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array entries;
  if (parser.parse(simdjson::padded_string(text)).get(document) != simdjson::SUCCESS ||
      document["keys"].get(entries) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  std::vector<PublicKey> keys;
  for (const auto& entry : entries) {
    std::string_view base64;
    if (entry["public"].get(base64) != simdjson::SUCCESS) return std::nullopt;
    const auto key = PublicKey::FromText(base64);
    if (!key) return std::nullopt;
    keys.push_back(*key);
  }
  if (keys.empty()) return std::nullopt;
  return keys;
}

Result<std::unique_ptr<ReceiptSigner>> ReceiptSigner::Open(const std::string& state_path) {
  auto file = KeyFile::Read(state_path);
  if (!file.ok()) return file.status();
  if (!file.value()) {
    file = std::optional(KeyFile{.key = SigningKey::Generate(), .retired = {}});
    LETHE_RETURN_IF_ERROR(file.value()->Write(state_path));
  }
  return std::unique_ptr<ReceiptSigner>(new ReceiptSigner(state_path, *std::move(file).value()));
}

std::string ReceiptSigner::Envelope(std::string_view bytes) const {
  return WriteEnvelope(bytes, file_.key);
}

std::string ReceiptSigner::Signature(std::string_view bytes) const {
  return file_.key.Sign(PreAuthEncoding(bytes));
}

std::string ReceiptSigner::Keys() const {
  const std::lock_guard lock(mutex_);
  return file_.ToJson();
}

Result<std::vector<PublicKey>> ReceiptSigner::Since(const PublicKey& announced) {
  if (announced == public_key()) return std::vector{announced};
  const std::lock_guard lock(mutex_);
  auto known = std::find(file_.retired.begin(), file_.retired.end(), announced);
  if (known == file_.retired.end()) {
    known = file_.retired.insert(file_.retired.end(), announced);
    LETHE_RETURN_IF_ERROR(file_.Write(state_path_));
  }
  std::vector<PublicKey> keys(known, file_.retired.end());
  keys.push_back(public_key());
  return keys;
}

}  // namespace lethe
