#include "app/compare/compare.h"

#include <cstdio>
#include <memory>
#include <thread>

#include "app/commands/command.h"
#include "app/commands/load.h"
#include "app/compare/frontier.h"
#include "app/compare/records.h"
#include "app/compare/table.h"
#include "app/progress.h"
#include "app/report/report.h"
#include "connectors/system/system_clock.h"

namespace lethe {
namespace {

struct Arguments {
  std::string stream;
  std::string config;
  std::vector<std::string> modes = {"all"};
  bool no_regret = false;
  bool frontier = false;
  std::vector<double> budgets;
  std::string html;
  bool json = false;
  int threads = 0;
};

Status RunCompare(const Arguments& arguments) {
  const auto config = LoadChecked(arguments.config);
  if (!config.ok()) return config.status();
  LETHE_RETURN_IF_ERROR(CheckReportPath(arguments.html));
  auto contenders = ChooseContenders(AllContenders(config.value().spec), arguments.modes);
  if (!contenders.ok()) return contenders.status();
  if (arguments.frontier) {
    contenders =
        Sweep(contenders.value(), arguments.budgets.empty() ? DefaultSweep() : arguments.budgets);
  }
  const auto records = ReadRecords(arguments.stream);
  if (!records.ok()) return records.status();

  SystemClock clock;
  Progress progress(StderrIsTerminal(), clock);
  CompareOptions options;
  options.regret = !arguments.no_regret && !arguments.frontier;
  options.regret_sample = config.value().regret.sample;
  options.keep_series = !arguments.html.empty() && !arguments.frontier;
  options.threads = arguments.threads > 0
                        ? arguments.threads
                        : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options.on_progress = [&progress](double share) { progress.ShowShare(share); };
  const auto comparisons = Compare(contenders.value(), records.value(), options);
  if (!comparisons.ok()) return comparisons.status();
  progress.Clear();
  if (!arguments.html.empty()) {
    const auto report = arguments.frontier ? FrontierReport : CompareReport;
    LETHE_RETURN_IF_ERROR(WriteReport(arguments.html, report(comparisons.value())));
  }
  const auto json = arguments.frontier ? FrontierJson : CompareJson;
  const auto table = arguments.frontier ? FrontierTable : CompareTable;
  if (arguments.json) {
    std::printf("%s\n", json(comparisons.value()).c_str());
  } else {
    std::fputs(table(comparisons.value()).c_str(), stdout);
    std::fputs(RefusedLines(comparisons.value()).c_str(), stderr);
    std::fputs(WarningLines(comparisons.value()).c_str(), stderr);
    std::fprintf(stderr, "figures are over the whole recording; no certificate covers them\n");
  }
  return Status::Ok();
}

}  // namespace

Run AddCompare(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  command.add_option("STREAM", arguments->stream, "a recorded stream; - is stdin")->required();
  command
      .add_option("--config", arguments->config,
                  "model, learning and budget; the mode in it is not used")
      ->required();
  command.add_option("--modes", arguments->modes, "which, separated by commas (all)")
      ->delimiter(',');
  command.add_flag("--no-regret", arguments->no_regret, "leave the regret out, which is faster");
  command.add_option("--threads", arguments->threads, "runs at a time (one per core)")
      ->check(CLI::Range(1, 256));
  auto* frontier = command.add_flag("--frontier", arguments->frontier,
                                    "every mode with several budgets: accuracy against advantage");
  command
      .add_option("--budgets", arguments->budgets,
                  "with --frontier: the epsilons, separated by commas (0.1,0.3,1,3,10)")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->needs(frontier);
  command.add_option("--html", arguments->html, kReportHelp);
  command.add_flag("--json", arguments->json, "print JSON");
  return [arguments] { return RunCompare(*arguments); };
}

}  // namespace lethe
