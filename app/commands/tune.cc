#include "app/tune/tune.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include "app/commands/command.h"
#include "app/commands/load.h"
#include "app/compare/records.h"
#include "app/progress.h"
#include "app/tune/infer.h"
#include "app/tune/tune_report.h"
#include "connectors/file/stream_writer.h"
#include "connectors/system/system_clock.h"

namespace lethe {
namespace {

struct Arguments {
  std::string stream;
  std::string config;
  std::string out;
  std::int64_t public_rows = 0;
  TuneOptions options;
  bool json = false;
};

Status WriteFile(const std::string& path, const std::string& text) {
  auto out = StreamWriter::Open(path);
  if (!out.ok()) return out.status();
  LETHE_RETURN_IF_ERROR(out.value()->Write(text));
  return out.value()->Close();
}

// What was chosen, in words.
void Say(const TuneResult& result, const Arguments& arguments, double seconds) {
  std::fprintf(stderr, "%d runs on %lld rows in %.1f s\n", result.runs,
               static_cast<long long>(result.rows), seconds);
  if (result.refused_rows > 0) {
    std::fprintf(stderr, "warning: the model refuses %lld learn events; lethe replay says why\n",
                 static_cast<long long>(result.refused_rows));
  }
  const Comparison* chosen = result.Chosen();
  const Quality::Constant& constant = result.constant;
  if (chosen != nullptr && chosen->result && constant.mean_loss &&
      chosen->result->mean_loss >= constant.mean_loss) {
    std::fprintf(stderr,
                 "warning: no setting is better than a constant; other features might be\n");
  }
  std::fprintf(stderr, "%s\n",
               arguments.public_rows > 0
                   ? "tuned on rows that were declared public"
                   : "tuned on rows that may be deleted later: what the settings tell of them is "
                     "not covered by any certificate, and receipts say so (--public-rows)");
}

Status RunTune(const Arguments& arguments) {
  std::optional<Config> config;
  if (!arguments.config.empty()) {
    auto loaded = LoadChecked(arguments.config);
    if (!loaded.ok()) return loaded.status();
    config = std::move(loaded).value();
  }
  const auto records = arguments.public_rows > 0
                           ? ReadRecords(arguments.stream, arguments.public_rows)
                           : ReadRecords(arguments.stream);
  if (!records.ok()) return records.status();
  if (!config) {
    auto inferred = InferConfig(records.value());
    if (!inferred.ok()) return inferred.status();
    config = std::move(inferred).value();
  }
  config->spec.learning.tuned_on = arguments.public_rows > 0 ? TunedOn::kPublic : TunedOn::kPrivate;
  SystemClock clock;
  const std::int64_t start = clock.MonotonicNs();
  Progress progress(StderrIsTerminal(), clock);
  TuneOptions options = arguments.options;
  if (options.threads == 0) {
    options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  options.on_progress = [&progress](double share) { progress.ShowShare(share); };
  const auto tuned = Tune(config->spec, records.value(), options);
  progress.Clear();
  if (!tuned.ok()) return tuned.status();
  const TuneResult& result = tuned.value();
  const double seconds = static_cast<double>(clock.MonotonicNs() - start) * 1e-9;
  if (arguments.json) {
    std::printf("%s\n", TuneJson(*config, result, seconds).c_str());
  } else {
    std::fputs(TuneTable(result).c_str(), stdout);
    if (result.chosen && arguments.out.empty()) {
      std::printf("\n%s", TunedConfig(*config, result).c_str());
    }
  }
  Say(result, arguments, seconds);
  if (result.interrupted) {
    return InterruptedStatus("what is printed is the best so far; no configuration was written");
  }
  if (arguments.out.empty() || !result.chosen) return Status::Ok();
  LETHE_RETURN_IF_ERROR(WriteFile(arguments.out, TunedConfig(*config, result)));
  std::fprintf(stderr, "wrote %s\n", arguments.out.c_str());
  return Status::Ok();
}

}  // namespace

Run AddTune(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  arguments->options.threads = 0;
  command.add_option("STREAM", arguments->stream, "a recorded stream; - is stdin")->required();
  command.add_option("--config", arguments->config,
                     "model, mode and budget; without it, they follow from the stream");
  command.add_option("--out", arguments->out, "where the configuration goes (stdout)");
  command
      .add_option("--public-rows", arguments->public_rows,
                  "tune on the first N learn events, which are declared public")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  command.add_option("--runs", arguments->options.runs, "learners to try (120)")
      ->check(CLI::Range(1, 100'000));
  command.add_option("--threads", arguments->options.threads, "runs at a time (one per core)")
      ->check(CLI::Range(1, 256));
  command.add_flag("--json", arguments->json, "print JSON");
  return [arguments] { return RunTune(*arguments); };
}

}  // namespace lethe
