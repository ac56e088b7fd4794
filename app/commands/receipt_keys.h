#pragma once

#include "app/commands/command.h"
#include "app/receipts/key_file.h"

namespace lethe {

// Adds `lethe receipts export`, `key` and `rotate-key`. The one on the command line sets `run`.
void AddReceiptKeys(CLI::App& command, Run& run);

// The key of a state. kInput if the folder is not a state, or if it has no key yet.
Result<KeyFile> ReadSigningKey(const std::string& state_path);

}  // namespace lethe
