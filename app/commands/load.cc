#include "app/commands/load.h"

#include "engine/spec/dimension.h"

namespace lethe {

Result<Plan> MakePlan(const Config& config, const std::string& file, std::int64_t shards) {
  // Refused, because ignoring the key silently would mislead.
  if (config.regret.sample > 0 && IsSparse(config.spec)) {
    return Status(ErrorCode::kConfig,
                  file +
                      ": regret.sample: the best fixed model is computed for dense features "
                      "only; leave it at 0 with model.hash_bits");
  }
  Spec spec = config.spec;
  spec.erase_within_ms = config.erasure.max_lag_ms;
  auto plan = Plan::Make(spec, shards);
  if (plan.ok()) return plan;
  return Status(plan.status().code(), file + ": " + plan.status().message());
}

Result<Config> LoadChecked(const std::string& file) {
  return LoadConfig(file, {.known_modes = ModeNames()});
}

}  // namespace lethe
