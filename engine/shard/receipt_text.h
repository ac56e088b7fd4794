#pragma once

#include <string>
#include <vector>

#include "engine/shard/receipt.h"

namespace lethe {

// The words of a receipt: for a person, without formulas.
std::string Statement(const Receipt& receipt, const ReceiptContext& context);
// `is_adaptive`: requests may depend on what was released.
std::vector<std::string> Assumptions(const Spec& spec, bool is_adaptive);
// `keeps_secret`: the mode keeps the model before its noise.
std::vector<std::string> NotCovered(bool keeps_secret);

}  // namespace lethe
