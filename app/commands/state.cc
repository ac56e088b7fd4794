#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/commands/command.h"
#include "app/receipts/chain.h"
#include "app/receipts/key_file.h"
#include "app/run/snapshots.h"
#include "connectors/system/sodium_hash.h"
#include "engine/base/json.h"
#include "engine/shard/receipt.h"
#include "state/shard_folder.h"
#include "state/store/private_file.h"
#include "state/summary.h"

namespace lethe {
namespace {

struct Arguments {
  std::string path = "./lethe-state";
  std::int64_t shard = -1;
  bool yes = false;
  bool json = false;
};

Result<std::vector<ShardSummary>> ReadAll(const Arguments& arguments, bool verify) {
  const auto shards = ShardsIn(arguments.path);
  if (!shards.ok()) return Status(ErrorCode::kInput, shards.status().message());
  if (shards.value().empty()) {
    return Status(ErrorCode::kInput, arguments.path + " holds no state");
  }
  std::vector<ShardSummary> summaries;
  for (const ShardId shard : shards.value()) {
    if (arguments.shard >= 0 && shard.value != arguments.shard) continue;
    auto summary = SummariseShard(arguments.path, shard, SodiumHasher(), verify);
    if (!summary.ok()) return summary.status();
    summaries.push_back(std::move(summary).value());
  }
  if (summaries.empty()) {
    return Status(ErrorCode::kInput,
                  arguments.path + " has no shard " + std::to_string(arguments.shard));
  }
  return summaries;
}

void PrintJson(const std::vector<ShardSummary>& summaries) {
  JsonWriter json;
  json.BeginObject().Key("shards").BeginArray();
  for (const ShardSummary& summary : summaries) {
    json.BeginObject().Field("shard", summary.shard.value).Field("state", ToText(summary.state));
    json.Field("offset", summary.next.value);
    json.Field("learned", summary.counters.learned + summary.counters.updates);
    json.Field("forgotten_events", summary.counters.forgotten_events);
    json.Field("commits", static_cast<std::int64_t>(summary.commits));
    json.Field("chain_entries", static_cast<std::int64_t>(summary.chain_entries));
    json.Field("unerased_events", summary.unerased).Field("bytes", summary.bytes);
    json.Key("snapshots").BeginArray();
    for (const auto& snapshot : Snapshots(summary.folder + "/snapshots", 0).List()) {
      json.Value(snapshot.path);
    }
    json.EndArray().EndObject();
  }
  std::printf("%s\n", json.EndArray().EndObject().text().c_str());
}

Status RunList(const Arguments& arguments) {
  const auto summaries = ReadAll(arguments, false);
  if (!summaries.ok()) return summaries.status();
  if (arguments.json) {
    PrintJson(summaries.value());
    return Status::Ok();
  }
  std::printf("%5s  %-36s  %10s  %10s  %10s  %8s  %8s  %10s  %s\n", "SHARD", "STATE", "OFFSET",
              "LEARNED", "FORGOTTEN", "CHAIN", "UNERASED", "BYTES", "SNAPSHOTS");
  for (const ShardSummary& summary : summaries.value()) {
    std::printf("%5lld  %-36s  %10lld  %10lld  %10lld  %8llu  %8lld  %10lld  %zu\n",
                static_cast<long long>(summary.shard.value), ToText(summary.state).c_str(),
                static_cast<long long>(summary.next.value),
                static_cast<long long>(summary.counters.learned + summary.counters.updates),
                static_cast<long long>(summary.counters.forgotten_events),
                static_cast<unsigned long long>(summary.chain_entries),
                static_cast<long long>(summary.unerased), static_cast<long long>(summary.bytes),
                Snapshots(summary.folder + "/snapshots", 0).List().size());
  }
  return Status::Ok();
}

Status RunVerify(const Arguments& arguments) {
  const auto summaries = ReadAll(arguments, true);
  Status status = summaries.ok() ? Status::Ok() : summaries.status();
  if (status.ok()) {
    const auto book = ReadReceipts(arguments.path, SodiumHasher());
    status = book.ok() ? VerifyChains(book.value()) : book.status();
  }
  if (status.ok()) status = KeyFile::Read(arguments.path).status();
  std::string remarks;
  for (const ShardSummary& summary :
       summaries.ok() ? summaries.value() : std::vector<ShardSummary>()) {
    if (!summary.remark.empty()) remarks += (remarks.empty() ? "" : "; ") + summary.remark;
  }
  if (arguments.json) {
    JsonWriter json;
    json.BeginObject().Field("holds", status.ok()).Field("problem", status.message());
    json.Field("remark", remarks);
    std::printf("%s\n", json.EndObject().text().c_str());
  } else if (status.ok()) {
    std::printf(
        "holds: every checksum is right, no commit is missing, every chain is whole, and so is the "
        "signing key\n");
  }
  if (!remarks.empty()) std::fprintf(stderr, "remark: %s\n", remarks.c_str());
  const bool is_verdict =
      status.code() == ErrorCode::kInput || status.code() == ErrorCode::kCheckFailed;
  if (!is_verdict) return status;
  return {ErrorCode::kCheckFailed, status.message()};
}

// Removes the state of a shard, but keeps its chain, so that receipts can still be looked up.
Status RunWipe(const Arguments& arguments) {
  if (arguments.shard < 0) return {ErrorCode::kUsage, "state wipe: say which --shard"};
  if (!arguments.yes) {
    return {ErrorCode::kUsage, "state wipe removes everything that shard " +
                                   std::to_string(arguments.shard) +
                                   " has learned, for ever; say --yes if that is meant"};
  }
  const auto folder = StateFolder::Open(arguments.path);
  if (!folder.ok()) return folder.status();
  const auto summaries = ReadAll(arguments, false);
  if (!summaries.ok()) return summaries.status();
  const ShardSummary& summary = summaries.value().front();
  const SodiumHasher hasher;
  std::string chain;
  std::string previous = kChainStart;
  LETHE_RETURN_IF_ERROR(
      ReadChainIn(arguments.path, summary.shard, [&](ChainKind, std::string_view bytes) {
        chain += std::string(bytes) + "\n";
        const Digest digest = hasher.Sha256(bytes);
        previous = ToHex(digest.data(), digest.size());
        return Status::Ok();
      }));
  chain += WriteChainNotice({"wiped", summary.state, summary.shard, summary.next, summary.next, ""},
                            previous) +
           "\n";
  const std::string kept = arguments.path + "/wiped-shard-" + std::to_string(arguments.shard) +
                           "-" + ToText(summary.state) + ".ndjson";
  LETHE_RETURN_IF_ERROR(WritePrivateFile(kept, chain));
  std::error_code error;
  std::filesystem::remove_all(summary.folder, error);
  if (error) return {ErrorCode::kDisk, "cannot remove " + summary.folder + ": " + error.message()};
  std::fprintf(stderr, "shard %lld is gone; its chain, with the note of that, is in %s\n",
               static_cast<long long>(arguments.shard), kept.c_str());
  return Status::Ok();
}

}  // namespace

Run AddState(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  auto run = std::make_shared<Run>();
  command.require_subcommand(1);
  const auto add = [&](const char* name, const char* help, Run action) {
    CLI::App* sub = command.add_subcommand(name, help);
    sub->add_option("PATH", arguments->path, "state.path of the configuration (./lethe-state)");
    sub->add_option("--shard", arguments->shard, "this shard only")->check(CLI::NonNegativeNumber);
    sub->add_flag("--json", arguments->json, "print JSON only");
    sub->final_callback([run, action] { *run = action; });
    return sub;
  };
  add("list", "the shards, how far they are, their size; also while the daemon runs",
      [arguments] { return RunList(*arguments); });
  add("show", "the same as list, as JSON, with the paths of the snapshots", [arguments] {
    arguments->json = true;
    return RunList(*arguments);
  });
  add("verify", "whether every checksum is right and every chain whole; exit code 1 if not",
      [arguments] { return RunVerify(*arguments); });
  add("wipe", "removes a shard for ever and keeps its chain; the daemon must not run", [arguments] {
    return RunWipe(*arguments);
  })->add_flag("--yes", arguments->yes, "this is meant");
  return [run] { return (*run)(); };
}

}  // namespace lethe
