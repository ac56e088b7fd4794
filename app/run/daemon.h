#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/config/config.h"
#include "app/run/startup_fence.h"
#include "engine/plan.h"
#include "http/erasure_gateway.h"

namespace lethe {

struct RunOptions {
  bool fail_fast = false;  // a broker or topic that is not there is an error, not waited for
  StartupFenceOptions fence = {};
  std::optional<std::string> web_root =
      std::nullopt;  // the dashboard's files from here, for development

  // Whether to ask the topics how large a record may be. librdkafka's mock cluster never answers.
  bool ask_for_limits = true;
  // For a demonstration: takes POST /v1/forget, without a token.
  ErasureGateway* open_gateway = nullptr;
  // Called once, when HTTP is served.
  std::function<void(const std::string& url)> on_listening = {};
};

// Learns and forgets from Kafka until a signal; ok after a clean stop.
Status RunDaemon(const Config& config, const Plan& plan, const RunOptions& options);

}  // namespace lethe
