#include <memory>

#include "app/commands/command.h"
#include "app/commands/load.h"
#include "app/run/daemon.h"

namespace lethe {
namespace {

struct Arguments {
  std::string config;
  RunOptions options;
};

Status RunRun(const Arguments& arguments) {
  const auto config = LoadChecked(arguments.config);
  if (!config.ok()) return config.status();
  const auto plan = MakePlan(config.value(), arguments.config);
  if (!plan.ok()) return plan.status();
  return RunDaemon(config.value(), plan.value(), arguments.options);
}

}  // namespace

Run AddRun(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  RunOptions& options = arguments->options;
  command.add_option("--config", arguments->config, "the configuration, in YAML")->required();
  command.add_flag("--fail-fast", options.fail_fast,
                   "exit with 69 when a broker or topic is not there, instead of waiting");
  command.add_flag("--accept-gap", options.fence.accept_gap,
                   "go on although unread records were removed from the topic; the chain says so");
  command.add_flag("--begin-anew", options.fence.begin_anew,
                   "begin a new state although another one has published receipts for a shard: "
                   "for when that one is lost");
  command.add_option("--web-root", options.web_root,
                     "serve the dashboard from this folder instead of the built-in one");
  AddLogFormat(command);
  return [arguments] { return RunRun(*arguments); };
}

}  // namespace lethe
