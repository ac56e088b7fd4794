#include "app/topics/dead_letters.h"

#include <cstdio>
#include <memory>

#include "app/commands/command.h"
#include "app/commands/load.h"

namespace lethe {
namespace {

struct Arguments {
  std::string config;
  std::size_t last = 3;
  bool json = false;
};

void PrintText(const DeadLetters& letters) {
  std::printf("%-20s  %8s  %8s  %s\n", "REASON", "COUNT", "REQUESTS", "LAST PLACES");
  for (const auto& [reason, of_reason] : letters.by_reason) {
    std::printf("%-20s  %8lld  %8lld ", reason.c_str(), static_cast<long long>(of_reason.count),
                static_cast<long long>(of_reason.requests));
    for (const DeadPlace& place : of_reason.last) {
      std::printf(" %s/%s/%s", place.topic.c_str(), place.partition.c_str(), place.offset.c_str());
    }
    std::printf("\n");
  }
  if (letters.foreign > 0) {
    std::fprintf(stderr, "%lld messages of the topic are no dead letters of Lethe\n",
                 static_cast<long long>(letters.foreign));
  }
}

Status RunList(const Arguments& arguments) {
  const auto config = LoadChecked(arguments.config);
  if (!config.ok()) return config.status();
  const auto& topic = config.value().dead_letter.topic;
  if (!topic) {
    return {ErrorCode::kConfig,
            arguments.config + ": dead_letter.topic is not set: refused records are counted only"};
  }
  auto access = TopicAccess::Open(config.value().source.kafka);
  if (!access.ok()) return access.status();
  const auto letters = ReadDeadLetters(*access.value(), *topic, arguments.last);
  if (!letters.ok()) return letters.status();
  if (arguments.json) {
    std::printf("%s\n", DeadLettersJson(*topic, letters.value()).c_str());
  } else {
    PrintText(letters.value());
  }
  return Status::Ok();
}

}  // namespace

Run AddDeadLetters(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  command.require_subcommand(1);
  CLI::App* list = command.add_subcommand(
      "list", "counts by reason, and the places of the last ones; never what they held");
  list->add_option("--config", arguments->config, "the configuration, in YAML")->required();
  list->add_option("--last", arguments->last, "places shown for each reason (3)");
  list->add_flag("--json", arguments->json, "print the result as JSON");
  return [arguments] { return RunList(*arguments); };
}

}  // namespace lethe
