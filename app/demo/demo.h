#pragma once

#include <optional>
#include <string>

#include "engine/base/status.h"

namespace lethe {

// The options of a demonstration.
struct DemoOptions {
  int port = 9464;                      // 0: any free port
  std::optional<double> seconds;        // none: until a signal
  std::string keep;                     // a folder for the state; empty: a temporary one
  std::optional<std::string> web_root;  // a folder with the dashboard's files, for development
};

// Runs a demonstration in one process: a mock broker, people who send events and ask to be
// forgotten, the daemon as `lethe run` runs it, and its dashboard. Blocks until a signal, or until
// the time is over. Ok after a clean stop.
Status RunDemo(const DemoOptions& options);

}  // namespace lethe
