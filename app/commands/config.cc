#include <cstdio>
#include <memory>

#include "app/commands/command.h"
#include "app/commands/load.h"
#include "app/config/print.h"

namespace lethe {

Run AddConfig(CLI::App& command) {
  struct Arguments {
    std::string file;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  command.add_option("FILE", arguments->file, "the configuration, in YAML")->required();
  command.add_flag("--json", arguments->json, "print JSON");
  return [arguments] {
    const auto config = LoadChecked(arguments->file);
    if (!config.ok()) return config.status();
    const auto print = arguments->json ? PrintJson : PrintEffective;
    std::fputs(print(config.value()).c_str(), stdout);
    return Status::Ok();
  };
}

}  // namespace lethe
