#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "app/commands/command.h"
#include "app/generate/generator.h"
#include "app/progress.h"
#include "app/receipts/chain.h"
#include "app/replay/replay.h"
#include "connectors/system/sodium_hash.h"

namespace lethe {
namespace {

constexpr std::int64_t kEvents = 20000;
constexpr std::int64_t kPeople = 400;

// A folder that is removed at the end unless it was asked for.
class DemoFolder {
 public:
  explicit DemoFolder(const std::string& keep) : path_(keep), is_kept_(!keep.empty()) {
    if (is_kept_) return;
    path_ = std::filesystem::temp_directory_path() / ("lethe-demo-" + std::to_string(getpid()));
  }
  ~DemoFolder() {
    std::error_code ignored;
    if (!is_kept_) std::filesystem::remove_all(path_, ignored);
  }
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;

  std::string File(const char* name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool is_kept_;
};

Status WriteStream(const std::string& path) {
  auto out = StreamWriter::Open(path);
  if (!out.ok()) return out.status();
  const GenerateOptions options{.events = kEvents,
                                .drift = 0.5,
                                .subjects = kPeople,
                                .deletions = 0.002,
                                .pattern = Pattern::kSubject,
                                .seed = 7};
  LETHE_RETURN_IF_ERROR(Generate(options, *out.value()));
  return out.value()->Close();
}

Spec DemoSpec(const char* mode) {
  Spec spec;
  spec.model.dimension = 20;
  spec.learning.eta = 1;
  spec.forgetting.mode = mode;
  return spec;
}

Result<ReplayResult> RunMode(const char* mode, const std::string& stream,
                             std::optional<std::string> out) {
  const auto plan = Plan::Make(DemoSpec(mode));
  if (!plan.ok()) return plan.status();
  ReplayOptions options;
  options.out = std::move(out);
  return ReplayFile(plan.value(), stream, options, StderrIsTerminal());
}

void PrintCost(const char* what, const ReplayResult& result) {
  std::printf("    %-44s %.4f      %.4f\n", what, *result.accuracy, *result.mean_loss);
}

// A paragraph in lines of at most 92 characters.
void PrintWrapped(const std::string& text) {
  constexpr std::size_t kWidth = 92;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.size() - begin <= kWidth ? text.size() : text.rfind(' ', begin + kWidth);
    if (end == std::string::npos || end <= begin) end = text.size();
    std::printf("    %s\n", text.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
}

// The receipt of the request with the most events, and what `receipts verify` says.
Status PrintReceipt(const std::string& results) {
  const auto book = ReadReceipts(results, SodiumHasher());
  if (!book.ok()) return book.status();
  const ChainEntry* shown = nullptr;
  for (const ChainEntry& entry : book.value().entries) {
    if (shown == nullptr || entry.events > shown->events) shown = &entry;
  }
  if (shown == nullptr) return Status::Ok();
  std::printf("\n  one of %zu receipts: %s (noise sigma %.3g)\n", book.value().entries.size(),
              shown->receipt.c_str(), shown->sigma.value_or(0));
  PrintWrapped(shown->statement);
  LETHE_RETURN_IF_ERROR(VerifyChains(book.value()));
  std::printf("\n  the chain of receipts is whole\n");
  return Status::Ok();
}

Status RunDemo(const std::string& keep) {
  const DemoFolder folder(keep);
  std::error_code error;
  std::filesystem::create_directories(folder.path(), error);
  if (error) return {ErrorCode::kDisk, folder.path().string() + ": " + error.message()};
  const std::string stream = folder.File("events.ndjson.gz");
  const std::string results = folder.File("results");

  std::printf("%lld events of %lld people, some of whom ask to be forgotten\n",
              static_cast<long long>(kEvents), static_cast<long long>(kPeople));
  LETHE_RETURN_IF_ERROR(WriteStream(stream));
  const auto never = RunMode("none", stream, std::nullopt);
  if (!never.ok()) return never.status();
  const auto passive = RunMode("passive", stream, results);
  if (!passive.ok()) return passive.status();
  const auto active = RunMode("active", stream, std::nullopt);
  if (!active.ok()) return active.status();

  const Counters& counters = passive.value().total;
  std::printf(
      "  learned %lld events; forgot %lld of them at %lld requests\n"
      "  half of an event's influence is gone after %.0f events\n",
      static_cast<long long>(counters.learned), static_cast<long long>(counters.forgotten_events),
      static_cast<long long>(counters.requests), passive.value().shards.front().half_life);
  std::printf("\n  what forgetting costs                          accuracy   mean loss\n");
  PrintCost("never forgets (mode none)", never.value());
  PrintCost("noise, no extra work (mode passive)", passive.value());
  PrintCost("some work, hardly any noise (mode active)", active.value());
  LETHE_RETURN_IF_ERROR(PrintReceipt(results));
  if (keep.empty()) {
    std::printf("\nKeep the files with: lethe demo --keep DIR\n");
  } else {
    std::printf("\nTry: lethe receipts list %s\n", results.c_str());
  }
  return Status::Ok();
}

}  // namespace

Run AddDemo(CLI::App& command) {
  auto keep = std::make_shared<std::string>();
  command.add_option("--keep", *keep, "write the stream and the results to this folder");
  return [keep] { return RunDemo(*keep); };
}

}  // namespace lethe
