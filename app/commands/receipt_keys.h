#pragma once

#include "app/commands/command.h"
#include "app/receipts/key_file.h"

namespace lethe {

// `lethe receipts export, key, rotate-key`. The one that is named is put into `run`.
void AddReceiptKeys(CLI::App& command, Run& run);

// The key of a state. kInput: this is no state, or it has no key yet.
Result<KeyFile> ReadSigningKey(const std::string& state_path);

}  // namespace lethe
