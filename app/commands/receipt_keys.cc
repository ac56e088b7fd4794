#include "app/commands/receipt_keys.h"

#include <cstdio>
#include <memory>

#include "app/receipts/chain.h"
#include "connectors/file/raw_output.h"
#include "connectors/system/sodium_hash.h"
#include "state/shard_folder.h"

namespace lethe {
namespace {

struct Arguments {
  std::string path = "./lethe-state";
  std::string out = "-";
  bool json = false;
};

Status RunExport(const Arguments& arguments) {
  const auto key = ReadSigningKey(arguments.path);
  if (!key.ok()) return key.status();
  const auto signer = ReceiptSigner::Open(arguments.path);
  if (!signer.ok()) return signer.status();
  const auto book = ReadReceipts(arguments.path, SodiumHasher());
  if (!book.ok()) return book.status();
  auto out = RawOutput::Open(arguments.out);
  if (!out.ok()) return out.status();
  LETHE_RETURN_IF_ERROR(out.value()->Write(WriteExport(book.value(), *signer.value())));
  LETHE_RETURN_IF_ERROR(out.value()->Commit());
  std::fprintf(stderr, "%zu entries, signed with key %s\n", book.value().entries.size(),
               key.value().key.public_key().Id().c_str());
  return Status::Ok();
}

Status RunKey(const Arguments& arguments) {
  const auto key = ReadSigningKey(arguments.path);
  if (!key.ok()) return key.status();
  std::printf("%s\n", arguments.json ? key.value().ToJson().c_str()
                                     : key.value().key.public_key().ToText().c_str());
  return Status::Ok();
}

Status RunRotate(const Arguments& arguments) {
  auto file = ReadSigningKey(arguments.path);
  if (!file.ok()) return file.status();
  const auto folder = StateFolder::Open(arguments.path);
  if (!folder.ok()) return folder.status();
  const PublicKey old = file.value().key.public_key();
  file.value().retired.push_back(old);
  file.value().key = SigningKey::Generate();
  LETHE_RETURN_IF_ERROR(file.value().Write(arguments.path));
  const PublicKey& now = file.value().key.public_key();
  std::fprintf(stderr,
               "key %s is retired: what it has signed can still be verified with its public half. "
               "The chains say so at the next start\n",
               old.Id().c_str());
  std::printf("%s\n", arguments.json ? file.value().ToJson().c_str() : now.ToText().c_str());
  return Status::Ok();
}

}  // namespace

Result<KeyFile> ReadSigningKey(const std::string& state_path) {
  if (!IsStateFolder(state_path)) {
    return Status(ErrorCode::kInput, state_path +
                                         " holds no state of a daemon. Only a state has a key: "
                                         "the receipts of a replay are not signed");
  }
  auto file = KeyFile::Read(state_path);
  if (!file.ok()) return file.status();
  if (!file.value()) {
    return Status(ErrorCode::kInput, state_path +
                                         " has no signing key yet; the daemon makes it at its "
                                         "next start");
  }
  return *std::move(file).value();
}

void AddReceiptKeys(CLI::App& command, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  const auto add = [&](const char* name, const char* help, const Run& action) {
    CLI::App* sub = command.add_subcommand(name, help);
    sub->add_option("PATH", arguments->path, "state.path of the configuration (./lethe-state)");
    sub->final_callback([&run, action] { run = action; });
    return sub;
  };
  add("export",
      "whole chains in signed envelopes, for somebody else to verify; "
      "also while the daemon runs",
      [arguments] { return RunExport(*arguments); })
      ->add_option("--out", arguments->out, "a file (-: standard output)");
  add("key", "the public key that verifies the receipts of a state", [arguments] {
    return RunKey(*arguments);
  })->add_flag("--json", arguments->json, "all keys, also those before, as lethe.keys/1");
  add("rotate-key", "makes a new signing key; the daemon must not run", [arguments] {
    return RunRotate(*arguments);
  })->add_flag("--json", arguments->json, "print all keys, as lethe.keys/1");
}

}  // namespace lethe
