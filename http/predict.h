#pragma once

#include <string_view>

#include "engine/ports/hash.h"
#include "http/message.h"
#include "metrics/published_state.h"

namespace lethe {

inline constexpr std::size_t kMaxPredictRows = 10'000;

// Answers {"instances":[[...],...]} with {"predictions":[...]}: the scores <w, x> + intercept of
// the model that /v1/model returns, for the logistic loss also the "probabilities" of y = +1, and
// the version and shards of the model as in that document. For softmax the predictions are classes,
// by their names or numbers, and "probabilities" has a row of all classes for each instance. 400
// for a bad body; an error names the number of the row, never its values. 503 before the first
// commit. Thread-safe. With several shards, each call averages their models anew.
HttpResponse Predict(const PublishedState& published, const Hasher& hasher, std::string_view body);

}  // namespace lethe
