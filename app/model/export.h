#pragma once

#include <optional>
#include <string>

#include "app/config/config.h"
#include "engine/base/status.h"
#include "engine/plan.h"
#include "http/model_document.h"

namespace lethe {

using ModelFormat = ModelDocument::Format;

// The model that a daemon serves at this URL, byte for byte. kUnavailable if it does not answer.
Result<std::string> ExportFromDaemon(const std::string& url,
                                     const std::optional<std::string>& token, ModelFormat format);

// The model of a state at its last commit, byte for byte as the daemon would serve it. Works while
// the daemon runs. kInput if there is no state, or if it belongs to another configuration.
Result<std::string> ExportFromState(const Config& config, const Plan& plan, ModelFormat format);

// The model in a model.json, or in the folder of a replay. The ONNX form names the receipts only if
// it comes from a folder that has them.
Result<std::string> ExportFromFile(const std::string& path, ModelFormat format);

}  // namespace lethe
