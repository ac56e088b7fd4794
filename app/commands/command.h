#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "app/interrupt.h"
#include "engine/base/status.h"

// The commands. Each is one file in this folder: Add... declares its options on a CLI::App and
// returns the function that runs it after parsing. A command writes data to stdout and messages to
// stderr. Its status becomes the exit code of the process.
namespace lethe {

using Run = std::function<Status()>;

// Adds the option --log-format, for commands that run for a long time.
void AddLogFormat(CLI::App& command);

Run AddCheck(CLI::App& command);
Run AddCompare(CLI::App& command);
Run AddConfig(CLI::App& command);
Run AddConvert(CLI::App& command);
Run AddDemo(CLI::App& command);
Run AddForget(CLI::App& command);
Run AddGenerate(CLI::App& command);
Run AddDeadLetters(CLI::App& command);
Run AddModel(CLI::App& command);
Run AddPlan(CLI::App& command);
Run AddReceipts(CLI::App& command);
Run AddRecord(CLI::App& command);
Run AddReplay(CLI::App& command);
Run AddRun(CLI::App& command);
Run AddState(CLI::App& command);
Run AddTune(CLI::App& command);

}  // namespace lethe
