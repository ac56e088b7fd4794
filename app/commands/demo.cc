#include "app/demo/demo.h"

#include <memory>

#include "app/commands/command.h"

namespace lethe {

Run AddDemo(CLI::App& command) {
  auto options = std::make_shared<DemoOptions>();
  command.add_option("--seconds", options->seconds, "stop by itself after so long")
      ->check(CLI::PositiveNumber);
  command.add_option("--port", options->port, "where the page is, on 127.0.0.1; 0: a free port")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command.add_option("--keep", options->keep, "leave the state in this folder, which must be new");
  command.add_option("--web-root", options->web_root,
                     "serve the dashboard from this folder instead of the built-in one");
  AddLogFormat(command);
  return [options] { return RunDemo(*options); };
}

}  // namespace lethe
