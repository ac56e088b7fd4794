#pragma once

#include <optional>
#include <string>

#include "app/config/config.h"
#include "engine/base/status.h"
#include "engine/plan.h"
#include "http/model_document.h"

namespace lethe {

using ModelFormat = ModelDocument::Format;

// The model that a daemon serves, byte for byte. `url` as http://127.0.0.1:9464.
Result<std::string> ExportFromDaemon(const std::string& url,
                                     const std::optional<std::string>& token, ModelFormat format);

// The model of a state as its last commit left it, also while the daemon runs: what the daemon
// would serve, byte for byte. kInput when there is none, or of another configuration.
Result<std::string> ExportFromState(const Config& config, const Plan& plan, ModelFormat format);

// A model.json, or the one in the folder of a replay. As ONNX it names the receipts only when it
// comes from a folder that has them.
Result<std::string> ExportFromFile(const std::string& path, ModelFormat format);

}  // namespace lethe
