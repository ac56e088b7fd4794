#pragma once

#include <string>
#include <string_view>

namespace lethe {

// How two certificate parts (CertificatePart) differ: a line "  key: theirs -> ours" for each
// value.
std::string SpecDifference(std::string_view theirs, std::string_view ours);

}  // namespace lethe
