#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/commands/command.h"
#include "app/receipts/chain.h"
#include "connectors/system/sodium_hash.h"
#include "engine/json.h"

namespace lethe {
namespace {

struct Arguments {
  std::string path = ".";
  std::string uuid;
  std::string request;
  bool json = false;
};

void PrintRow(const ChainEntry& entry) {
  std::printf(
      "%-36s  %-17s  %6lld  %-9s  %10s  %s\n", entry.receipt.c_str(), entry.outcome.c_str(),
      static_cast<long long>(entry.events), entry.certified ? "yes" : "no",
      entry.sigma && *entry.sigma > 0 ? ToText(static_cast<float>(*entry.sigma)).c_str() : "-",
      entry.request.value_or("-").c_str());
}

Status RunList(const Arguments& arguments) {
  const auto book = ReadReceipts(arguments.path, SodiumHasher());
  if (!book.ok()) return book.status();
  if (!arguments.json) {
    std::printf("%-36s  %-17s  %6s  %-9s  %10s  %s\n", "RECEIPT", "OUTCOME", "EVENTS", "CERTIFIED",
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

// `lethe receipts show FOLDER --request R`: with a request the one word is the folder.
void FixWords(Arguments& arguments) {
  if (!arguments.request.empty() && !arguments.uuid.empty() && arguments.path == ".") {
    std::swap(arguments.path, arguments.uuid);
    arguments.uuid.clear();
  }
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
    found = true;
    if (!arguments.json) std::fprintf(stderr, "%s\n\n", entry.statement.c_str());
    std::printf("%s\n", entry.bytes.c_str());
  }
  if (found) return Status::Ok();
  return {ErrorCode::kInput, "no such receipt in " + arguments.path + "; lethe receipts list " +
                                 arguments.path + " shows them all"};
}

Status RunVerify(const Arguments& arguments) {
  const auto book = ReadReceipts(arguments.path, SodiumHasher());
  const Status status = book.ok() ? VerifyChains(book.value()) : book.status();
  if (status.code() != ErrorCode::kOk && status.code() != ErrorCode::kCheckFailed) return status;
  if (arguments.json) {
    JsonWriter json;
    json.BeginObject().Field("holds", status.ok());
    json.Field("entries", static_cast<std::int64_t>(book.ok() ? book.value().entries.size() : 0));
    json.Field("problem", status.message()).EndObject();
    std::printf("%s\n", json.text().c_str());
  } else if (status.ok()) {
    std::printf("holds: %zu entries, every one follows the one before%s\n",
                book.value().entries.size(),
                book.value().heads.empty()
                    ? " (whether entries are missing at the end cannot be told from this alone)"
                    : ", and the last is the one announced");
  }
  return status;
}

}  // namespace

Run AddReceipts(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  auto run = std::make_shared<Run>();
  command.require_subcommand(1);
  const auto add = [&](const char* name, const char* help, Run action) {
    CLI::App* sub = command.add_subcommand(name, help);
    sub->add_flag("--json", arguments->json, "print JSON only");
    sub->final_callback([run, action] { *run = action; });
    return sub;
  };
  const char* where =
      "the folder of a replay, the state.path of a daemon, or a file of receipts (.)";
  add("list", "one line per receipt", [arguments] {
    return RunList(*arguments);
  })->add_option("PATH", arguments->path, where);
  CLI::App* show = add("show", "one receipt: what is promised, and its exact bytes",
                       [arguments] { return RunShow(*arguments); });
  show->add_option("UUID", arguments->uuid, "the receipt");
  show->add_option("PATH", arguments->path, where);
  show->add_option("--request", arguments->request, "instead of UUID: the request's reference");
  add("verify", "whether the chain is whole; exit code 1 if not", [arguments] {
    return RunVerify(*arguments);
  })->add_option("PATH", arguments->path, where);
  return [run] { return (*run)(); };
}

}  // namespace lethe
