#include <cstdio>
#include <memory>

#include "app/commands/command.h"
#include "app/commands/load.h"
#include "app/config/print.h"

namespace lethe {

Run AddConfig(CLI::App& command) {
  auto file = std::make_shared<std::string>();
  command.add_option("FILE", *file, "the configuration, in YAML")->required();
  return [file] {
    const auto config = LoadChecked(*file);
    if (!config.ok()) return config.status();
    std::fputs(PrintEffective(config.value()).c_str(), stdout);
    return Status::Ok();
  };
}

}  // namespace lethe
