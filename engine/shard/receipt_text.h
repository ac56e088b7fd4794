#pragma once

#include <string>
#include <vector>

#include "engine/shard/receipt.h"

namespace lethe {

// The sentences of a receipt, for a reader without mathematics. All functions are thread-safe.

// The outcome and the promise in words.
std::string Statement(const Receipt& receipt, const ReceiptContext& context);
// The assumptions of the promise. `is_adaptive`: the promise holds even if requests depend on
// released models, so that one assumption is not needed. `blank`: what the reference world does at
// the position of a deleted event.
std::vector<std::string> Assumptions(const Spec& spec, bool is_adaptive,
                                     Ledger::Blank blank = Ledger::Blank::kNoStep);
// The limits of the promise, with those of this receipt's own. `keeps_secret`: the mode keeps the
// model before its noise, so that the engine's own state is not covered.
std::vector<std::string> NotCovered(const Spec& spec, bool keeps_secret,
                                    const Receipt& receipt = {});
// The part of it that follows from how this configuration was made: settings and scales that came
// from rows which may be deleted later.
std::vector<std::string> NotCoveredOf(const Spec& spec);

}  // namespace lethe
