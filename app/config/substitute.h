#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/base/status.h"

namespace lethe {

// Looks up an environment variable; none when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The variables of this process.
Environment ProcessEnvironment();

namespace config {

// Replaces ${NAME}, ${NAME:-default} and $$ in one string value of a parsed file. The default also
// replaces an empty variable, as in a shell. The text of a variable is not parsed again, neither as
// YAML nor for further variables. Fails on a variable that is not set, and on a '$' that begins
// none of the three forms.
Result<std::string> Substitute(const std::string& text, const Environment& environment);

// The inverse of Substitute: the text that it turns into `text`.
std::string EscapeDollars(const std::string& text);

}  // namespace config
}  // namespace lethe
