#pragma once

#include <optional>
#include <string>

#include "engine/base/status.h"

namespace lethe {

struct DemoOptions {
  int port = 9464;  // 0: a free one
  std::optional<double> seconds;
  std::string keep;                     // a folder for the state; empty: a temporary one
  std::optional<std::string> web_root;  // as of `lethe run`
};

// Everything in one process: a broker, people who send events and ask to be forgotten, the daemon
// as `lethe run` runs it, and its page. Until a signal, or for so long.
Status RunDemo(const DemoOptions& options);

}  // namespace lethe
