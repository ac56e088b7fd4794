#pragma once

#include <string>
#include <string_view>

namespace lethe {

// The difference between two certificate parts (CertificatePart), for an error message: one line
// "  key: THEIRS in the state, OURS in the configuration" for each value that differs. Empty if
// they are equal.
std::string SpecDifference(std::string_view theirs, std::string_view ours);

}  // namespace lethe
