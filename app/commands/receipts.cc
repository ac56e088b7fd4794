#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/commands/command.h"
#include "app/commands/receipt_keys.h"
#include "app/config/read_file.h"
#include "app/receipts/certificate.h"
#include "app/receipts/chain.h"
#include "app/receipts/key_file.h"
#include "connectors/system/sodium_hash.h"
#include "engine/base/json.h"
#include "state/shard_folder.h"

namespace lethe {
namespace {

struct Arguments {
  std::string path = ".";
  std::string uuid;
  std::string request;
  std::optional<std::string> key;  // verify: the public keys to trust
  std::string state;               // verify: a state that must agree
  bool envelope = false;
  bool html = false;
  bool json = false;
};

// Text from a receipt for a terminal. Control characters are escaped as in JSON, so that a line
// stays one line and nothing moves the cursor.
std::string Printable(const std::string& text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    // U+0080 to U+009F are control characters too.
    const bool is_wide = c == 0xc2 && next >= 0x80 && next < 0xa0;
    if (c >= 0x20 && c != 0x7f && !is_wide) {
      line += text[i];
      continue;
    }
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", is_wide ? next : c);
    line += escaped;
    i += is_wide ? 1 : 0;
  }
  return line;
}

void PrintRow(const ChainEntry& entry) {
  char sigma[32] = "-";
  // The same digits as on the certificate.
  if (entry.sigma && *entry.sigma > 0) std::snprintf(sigma, sizeof sigma, "%.6g", *entry.sigma);
  std::printf("%-36s  %-17s  %6lld  %-9s  %11s  %s\n", Printable(entry.receipt).c_str(),
              Printable(entry.outcome).c_str(), static_cast<long long>(entry.events),
              entry.certified ? "yes" : "no", sigma,
              Printable(entry.request.value_or("-")).c_str());
}

Status RunList(const Arguments& arguments) {
  const auto book = ReadReceipts(arguments.path, SodiumHasher());
  if (!book.ok()) return book.status();
  if (!arguments.json) {
    std::printf("%-36s  %-17s  %6s  %-9s  %11s  %s\n", "RECEIPT", "OUTCOME", "EVENTS", "CERTIFIED",
                "SIGMA", "REQUEST");
  }
  for (const ChainEntry& entry : book.value().entries) {
    if (!entry.is_receipt()) continue;
    if (arguments.json) {
      std::printf("%s\n", entry.bytes.c_str());
    } else {
      PrintRow(entry);
    }
  }
  return Status::Ok();
}

// In `lethe receipts show FOLDER --request R` the only word is the folder, not a receipt.
void FixWords(Arguments& arguments) {
  if (!arguments.request.empty() && !arguments.uuid.empty() && arguments.path == ".") {
    std::swap(arguments.path, arguments.uuid);
    arguments.uuid.clear();
  }
}

// The envelope of an entry: the one that was read, or a new one with the key of its state.
Result<std::string> EnvelopeOf(const ChainEntry& entry, const ReceiptBook& book,
                               const std::string& path) {
  for (const SignedLine& line : book.signed_lines) {
    if (line.envelope.payload == entry.bytes) return ToJson(line.envelope);
  }
  const auto key = ReadSigningKey(path);
  if (!key.ok()) return key.status();
  return WriteEnvelope(entry.bytes, key.value().key);
}

Status Print(const ChainEntry& entry, const ReceiptBook& book, const Arguments& arguments) {
  if (!arguments.envelope && !arguments.html) {
    if (!arguments.json) std::fprintf(stderr, "%s\n\n", Printable(entry.statement).c_str());
    std::printf("%s\n", entry.bytes.c_str());
    return Status::Ok();
  }
  const auto envelope = EnvelopeOf(entry, book, arguments.path);
  if (arguments.envelope) {
    if (!envelope.ok()) return envelope.status();
    std::printf("%s\n", envelope.value().c_str());
    return Status::Ok();
  }
  // The certificate of a replay has no signature, and the page says so.
  const auto page = CertificatePage(entry, envelope.ok() ? envelope.value() : "");
  if (!page.ok()) return page.status();
  std::fputs(page.value().c_str(), stdout);
  return Status::Ok();
}

Status RunShow(Arguments& arguments) {
  FixWords(arguments);
  if (arguments.uuid.empty() && arguments.request.empty()) {
    return {ErrorCode::kUsage, "receipts show: name a receipt, or --request R"};
  }
  const auto book = ReadReceipts(arguments.path, SodiumHasher());
  if (!book.ok()) return book.status();
  bool found = false;
  for (const ChainEntry& entry : book.value().entries) {
    if (!entry.is_receipt()) continue;
    const bool matches = arguments.uuid.empty() ? entry.request == arguments.request
                                                : entry.receipt == arguments.uuid;
    if (!matches) continue;
    if (found && arguments.html) {
      return {ErrorCode::kUsage, "several receipts answer to this request; name one by its UUID"};
    }
    found = true;
    LETHE_RETURN_IF_ERROR(Print(entry, book.value(), arguments));
  }
  if (found) return Status::Ok();
  return {ErrorCode::kInput, "no such receipt in " + arguments.path + "; lethe receipts list " +
                                 arguments.path + " shows them all"};
}

// The public keys of --key, which is a file or a key.
Result<std::vector<PublicKey>> TrustedKeys(const std::string& text) {
  auto keys = ReadPublicKeys(text);
  if (!keys) {
    const auto file = config::ReadWholeFile(text, "the public key");
    if (!file.ok()) return Status(ErrorCode::kInput, "--key: " + file.status().message());
    keys = ReadPublicKeys(file.value());
  }
  if (keys) return *keys;
  return Status(ErrorCode::kInput,
                "--key: " + text + " holds no public key: lethe receipts key prints it");
}

// Verifies signatures before chains, so that no conclusion is drawn from lines that are not signed.
Status VerifyBook(const ReceiptBook& book, const std::vector<PublicKey>& keys,
                  const Arguments& arguments, std::int64_t& signed_entries) {
  if (arguments.key && book.signed_lines.empty()) {
    return {ErrorCode::kCheckFailed,
            arguments.path +
                ": holds nothing that is signed, so --key can confirm nothing. Signed receipts "
                "come from lethe receipts export, or show --envelope"};
  }
  if (!arguments.key && !book.signed_lines.empty()) {
    return {ErrorCode::kUsage,
            "receipts verify: whose signature is to be trusted? Name the public key with --key "
            "(lethe receipts key, or /v1/keys); one that came with the file proves nothing"};
  }
  LETHE_RETURN_IF_ERROR(VerifySignatures(book, keys, signed_entries));
  LETHE_RETURN_IF_ERROR(VerifyChains(book));
  const SodiumHasher hasher;
  if (IsStateFolder(arguments.path)) LETHE_RETURN_IF_ERROR(VerifyState(arguments.path, hasher));
  if (arguments.state.empty()) return Status::Ok();
  LETHE_RETURN_IF_ERROR(VerifyState(arguments.state, hasher));
  return VerifyIsPartOf(book, arguments.state, hasher);
}

// A sentence that says what was verified.
std::string Verdict(const ReceiptBook& book, const Arguments& arguments) {
  std::string text = "holds: " + std::to_string(book.entries.size()) +
                     (book.entries.size() == 1 ? " entry" : " entries");
  if (book.is_single()) {
    return text + ", the signature is right (its place in the chain cannot be told from it alone)";
  }
  text += ", every one follows the one before";
  if (!book.heads.empty()) text += ", and the last is the one announced";
  text += book.signed_lines.empty() ? "; not signed" : "; every signature is right";
  if (!arguments.state.empty() || IsStateFolder(arguments.path)) return text + "; the state agrees";
  if (!book.heads.empty()) return text;
  return text + " (whether entries are missing at the end cannot be told from this alone)";
}

Status RunVerify(const Arguments& arguments) {
  std::vector<PublicKey> keys;
  if (arguments.key) {
    const auto trusted = TrustedKeys(*arguments.key);
    if (!trusted.ok()) return trusted.status();
    keys = trusted.value();
  }
  const auto book = ReadReceipts(arguments.path, SodiumHasher());
  std::int64_t signed_entries = 0;
  const Status status =
      book.ok() ? VerifyBook(book.value(), keys, arguments, signed_entries) : book.status();
  if (status.code() != ErrorCode::kOk && status.code() != ErrorCode::kCheckFailed) return status;
  if (arguments.json) {
    JsonWriter json;
    json.BeginObject().Field("holds", status.ok());
    json.Field("entries", static_cast<std::int64_t>(book.ok() ? book.value().entries.size() : 0));
    json.Field("signed", signed_entries);
    json.Field("problem", status.message()).EndObject();
    std::printf("%s\n", json.text().c_str());
  } else if (status.ok()) {
    std::printf("%s\n", Verdict(book.value(), arguments).c_str());
  }
  return status;
}

}  // namespace

Run AddReceipts(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  auto run = std::make_shared<Run>();
  command.require_subcommand(1);
  const auto add = [&](const char* name, const char* help, const Run& action) {
    CLI::App* sub = command.add_subcommand(name, help);
    sub->add_flag("--json", arguments->json, "print JSON only");
    sub->final_callback([run, action] { *run = action; });
    return sub;
  };
  const char* where =
      "the folder of a replay, the state.path of a daemon, or a file: receipts, an export, an "
      "envelope (.)";
  add("list", "one line per receipt", [arguments] {
    return RunList(*arguments);
  })->add_option("PATH", arguments->path, where);
  CLI::App* show = add("show", "one receipt: what is promised, and its exact bytes",
                       [arguments] { return RunShow(*arguments); });
  show->add_option("UUID", arguments->uuid, "the receipt");
  show->add_option("PATH", arguments->path, where);
  show->add_option("--request", arguments->request, "instead of UUID: the request's reference");
  show->add_flag("--envelope", arguments->envelope, "in its signed envelope (DSSE)");
  show->add_flag("--html", arguments->html, "a certificate to print, as a page of its own");
  CLI::App* verify =
      add("verify", "whether chain and signatures hold and the state agrees; exit code 1 if not",
          [arguments] { return RunVerify(*arguments); });
  verify->add_option("PATH", arguments->path, where);
  verify->add_option("--key", arguments->key,
                     "the public key to trust, or a file of keys; what is not signed then fails");
  verify->add_option("--state", arguments->state, "a state that must have the same entries");
  AddReceiptKeys(command, *run);
  return [run] { return (*run)(); };
}

}  // namespace lethe
