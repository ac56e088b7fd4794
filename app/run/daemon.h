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
  bool fail_fast = false;  // a missing broker or topic is an error; otherwise the start waits
  StartupFenceOptions fence = {};
  std::optional<std::string> web_root =
      std::nullopt;  // a folder to serve the dashboard's files from, for development

  // Whether to ask the topics how large a record may be. librdkafka's mock cluster never answers.
  bool ask_for_limits = true;
  // For a demonstration: takes POST /v1/forget without a token. Borrowed.
  ErasureGateway* open_gateway = nullptr;
  // Called once, when the HTTP server listens.
  std::function<void(const std::string& url)> on_listening = {};
};

// Runs the daemon of `lethe run`: learns and forgets from Kafka until a signal. Blocks, and starts
// and joins all threads of the process. Ok after a clean stop. After an error everything up to the
// last commit of each shard is on disk, and a new start goes on from there.
Status RunDaemon(const Config& config, const Plan& plan, const RunOptions& options);

}  // namespace lethe
