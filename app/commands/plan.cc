#include <cstdio>
#include <memory>

#include "app/commands/command.h"
#include "app/commands/load.h"
#include "app/plan/forecast.h"
#include "app/plan/forecast_report.h"

namespace lethe {
namespace {

struct Arguments {
  std::string file;
  std::int64_t events = kDefaultEvents;
  std::int64_t partitions = 1;
  bool json = false;
};

Status RunPlan(const Arguments& arguments) {
  const auto config = LoadChecked(arguments.file);
  if (!config.ok()) return config.status();
  const auto forecast = MakeForecast(config.value().spec, arguments.events, arguments.partitions);
  if (!forecast.ok()) {
    return {forecast.status().code(), arguments.file + ": " + forecast.status().message()};
  }
  if (arguments.json) {
    std::printf("%s\n", ForecastJson(forecast.value()).c_str());
  } else {
    PrintForecast(arguments.file, forecast.value(), stdout);
  }
  return Status::Ok();
}

}  // namespace

Run AddPlan(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  command.add_option("FILE", arguments->file, "the configuration, in YAML")->required();
  command.add_option("--events", arguments->events, "events learned before the deletion (1000001)")
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{100'000'000}));
  command
      .add_option("--partitions", arguments->partitions,
                  "of the topic: the budget is divided among them, and the forecast is for one (1)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  command.add_flag("--json", arguments->json, "print the forecast as JSON");
  return [arguments] { return RunPlan(*arguments); };
}

}  // namespace lethe
