#pragma once

#include <string>

#include "app/config/config.h"
#include "app/tune/tune.h"

namespace lethe {

// The learners that were best, and what they cost once they forget, as tables.
std::string TuneTable(const TuneResult& result);

// The chosen configuration as a file: the keys of `base` and of the choice that differ from their
// defaults, below a comment that says where they come from. `lethe check` accepts it. Requires a
// choice.
std::string TunedConfig(const Config& base, const TuneResult& result);

// The result as JSON (lethe.tune/1). `seconds`: how long the search took.
std::string TuneJson(const Config& base, const TuneResult& result, double seconds);

}  // namespace lethe
