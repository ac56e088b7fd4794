#include "app/replay/replay.h"

#include <cmath>
#include <cstdio>
#include <memory>

#include "app/commands/command.h"
#include "app/commands/load.h"
#include "app/progress.h"
#include "app/replay/report.h"
#include "app/replay/result_files.h"
#include "app/report/report.h"
#include "connectors/system/sodium_hash.h"

namespace lethe {
namespace {

struct Arguments {
  ReplayOptions options;
  std::string stream;
  std::string config;
  std::string out;
  std::string html;
  std::optional<std::int64_t> partitions;
  bool json = false;
};

Status RunReplay(Arguments& arguments) {
  const auto config = LoadChecked(arguments.config);
  if (!config.ok()) return config.status();
  auto plan = MakePlan(config.value(), arguments.config);
  if (!plan.ok()) return plan.status();
  LETHE_RETURN_IF_ERROR(CheckReportPath(arguments.html));
  const auto partitions = arguments.partitions ? Result<std::int64_t>(*arguments.partitions)
                                               : PartitionsIn(arguments.stream);
  if (!partitions.ok()) return partitions.status();
  plan = MakePlan(config.value(), arguments.config, partitions.value());
  if (!plan.ok()) return plan.status();
  ReplayOptions& options = arguments.options;
  options.keep_series = !arguments.html.empty();
  if (!arguments.out.empty()) options.out = arguments.out;
  options.regret_sample = config.value().regret.sample;
  options.commit_events = config.value().state.commit_events;
  const auto result = ReplayFile(plan.value(), arguments.stream, options, StderrIsTerminal());
  if (!result.ok()) return result.status();
  PrintWarnings(result.value(), stderr);
  if (!arguments.html.empty()) {
    LETHE_RETURN_IF_ERROR(WriteReport(arguments.html, ReplayReport(plan.value(), result.value())));
  }
  if (arguments.json) {
    std::printf("%s\n", SummaryJson(plan.value(), result.value(), SodiumHasher()).c_str());
  } else {
    PrintReport(plan.value(), result.value(), stdout);
    if (options.out) {
      std::fprintf(stderr, "results are in %s; lethe receipts list %s shows the receipts\n",
                   options.out->c_str(), options.out->c_str());
    }
  }
  const Counters& total = result.value().total;
  std::int64_t rejected = 0;
  for (const std::int64_t count : total.rejected) rejected += count;
  if (total.learned + total.updates > 0 || rejected == 0) return Status::Ok();
  return {ErrorCode::kInput, arguments.stream + ": nothing was learned, " +
                                 std::to_string(rejected) + " of " + std::to_string(total.records) +
                                 " records were refused; do stream and configuration fit?"};
}

}  // namespace

Run AddReplay(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  ReplayOptions& options = arguments->options;
  command.add_option("STREAM", arguments->stream, "NDJSON, plain, .gz or .zst; - is stdin")
      ->required();
  command.add_option("--config", arguments->config, "the configuration, in YAML")->required();
  command.add_option("--out", arguments->out,
                     "folder for summary.json, receipts.ndjson, notices.ndjson, model.json and "
                     "series.csv");
  command.add_option(
      "--state", options.state,
      "a new folder to keep the state in, as a daemon does, to be looked at by lethe "
      "state (else in memory)");
  command.add_option("--receipts", options.receipts,
                     "obey the decisions that a run's clock made, so that the receipts are the "
                     "same: receipts and notices of that run, as NDJSON, an export, a results "
                     "folder or a state");
  command.add_flag(
      "--regret", options.regret,
      "compute the regret exactly (one solve per deletion; keeps the stream in memory), whatever "
      "regret.sample says");
  command
      .add_option("--partitions", arguments->partitions,
                  "of the topic that was recorded, among which the budget is divided (one more "
                  "than the highest in the file; of a pipe, 1)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  command.add_option("--html", arguments->html, kReportHelp);
  command.add_flag("--json", arguments->json, "print the summary as JSON");
  command.add_option("--every", options.series_every, "events between rows of series.csv (1000)")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--batch", options.batch,
                  "records per read (as many as suits the model); results do not change")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}));
  return [arguments] { return RunReplay(*arguments); };
}

}  // namespace lethe
