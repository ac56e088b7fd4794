#include "app/commands/load.h"

namespace lethe {

Result<Plan> MakePlan(const Config& config, const std::string& file) {
  // Refused rather than ignored.
  if (config.regret.sample > 0) {
    return Status(ErrorCode::kConfig, file +
                                          ": regret.sample: not available in this version; leave "
                                          "it at 0 (replay --regret computes it exactly)");
  }
  auto plan = Plan::Make(config.spec);
  if (plan.ok()) return plan;
  return Status(plan.status().code(), file + ": " + plan.status().message());
}

Result<Config> LoadChecked(const std::string& file) {
  return LoadConfig(file, {.known_modes = ModeNames()});
}

}  // namespace lethe
