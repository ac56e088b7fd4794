#pragma once

#include <string_view>

#include "engine/ports/hash.h"
#include "http/message.h"
#include "metrics/published_state.h"

namespace lethe {

inline constexpr std::size_t kMaxPredictRows = 10'000;

// Answers {"instances":[[...],...]} with {"predictions":[...]}: the scores <w, x> + intercept of
// the model that /v1/model shows, and for the logistic loss also "probabilities" of y = +1; then
// the model's version and shards as in that document. What is wrong with a row is said with its
// number, never with its values.
HttpResponse Predict(const PublishedState& published, const Hasher& hasher, std::string_view body);

}  // namespace lethe
