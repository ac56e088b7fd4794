#include <sys/stat.h>

#include <cstdio>
#include <memory>

#include "app/commands/command.h"
#include "app/commands/load.h"
#include "app/progress.h"
#include "app/topics/recorder.h"

namespace lethe {
namespace {

struct Arguments {
  std::string config;
  RecordOptions options;
  bool json = false;
};

long long Long(std::int64_t number) { return static_cast<long long>(number); }

Status RunRecord(Arguments& arguments) {
  RecordOptions& options = arguments.options;
  if (arguments.json && options.out == "-") {
    return {ErrorCode::kUsage, "--json and --out - both want the standard output"};
  }
  if (options.from && options.to && *options.from >= *options.to) {
    return {ErrorCode::kUsage, "--to is the offset behind the last one: above --from"};
  }
  const auto config = LoadChecked(arguments.config);
  if (!config.ok()) return config.status();
  if (options.topic.empty()) options.topic = config.value().spec.topic;
  options.receipts_topic = config.value().publish.receipts_topic;
  options.form = FormOfName(options.out).value_or(RecordedForm::kJson);
  options.show_progress = StderrIsTerminal();
  auto access = TopicAccess::Open(config.value().source.kafka);
  if (!access.ok()) return access.status();
  umask(0077);  // a topic is personal data
  const auto result = RecordTopic(*access.value(), options);
  if (!result.ok()) return result.status();
  if (result.value().not_kept > 0) {
    const bool differs = result.value().not_kept_good > 0;
    std::fprintf(stderr,
                 "warning: %lld records could not be kept in this form, %lld of them deletion "
                 "requests; a run can read %lld of them%s\n",
                 Long(result.value().not_kept), Long(result.value().not_kept_requests),
                 Long(result.value().not_kept_good),
                 differs ? ", so a replay of this file gives another model than the run"
                         : ": a replay will not count them");
  }
  if (arguments.json) {
    std::printf("%s\n", RecordJson(options, result.value()).c_str());
  } else {
    std::fprintf(stderr, "%lld records of %zu partitions written to %s\n",
                 Long(result.value().records), result.value().by_partition.size(),
                 options.out == "-" ? "the standard output" : options.out.c_str());
    if (result.value().partitions > 1) {
      std::fprintf(stderr, "the topic has %d: lethe replay --partitions %d divides the budget so\n",
                   result.value().partitions, result.value().partitions);
    }
  }
  return Status::Ok();
}

}  // namespace

Run AddRecord(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  RecordOptions& options = arguments->options;
  command.add_option("TOPIC", options.topic, "the topic (source.kafka.topic)");
  command.add_option("--config", arguments->config, "the configuration, in YAML")->required();
  command
      .add_option("--out", options.out,
                  "file: JSON lines, or binary if it is named .lethe; compressed if it ends in .gz "
                  "or .zst; - is stdout")
      ->required();
  command.add_option("--from", options.from, "the first offset (the first there is)")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--to", options.to, "the offset behind the last (the end as it is now)")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--partition", options.partition, "one partition only (all)")
      ->check(CLI::NonNegativeNumber);
  command.add_flag("--json", arguments->json, "print the counts as JSON");
  return [arguments] { return RunRecord(*arguments); };
}

}  // namespace lethe
