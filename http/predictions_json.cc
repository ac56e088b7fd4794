#include "http/predictions_json.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/shard/served_weights.h"
#include "engine/spec/loss.h"

namespace lethe {
namespace {

double Probability(double score) {
  // exp of a number that is not positive cannot overflow.
  const double e = std::exp(-std::abs(score));
  return score >= 0 ? 1 / (1 + e) : e / (1 + e);
}

void WriteNumbers(JsonWriter& json, std::span<const double> numbers) {
  json.BeginArray();
  for (const double number : numbers) json.Value(number);
  json.EndArray();
}

void WriteClassPredictions(JsonWriter& json, const PipelineInfo& info,
                           const std::vector<double>& scores) {
  const auto classes = static_cast<std::size_t>(info.classes);
  const auto row_of = [&](std::size_t at) { return std::span(scores).subspan(at, classes); };
  json.Key("predictions").BeginArray();
  for (std::size_t at = 0; at < scores.size(); at += classes) {
    const auto row = row_of(at);
    WriteClass(json, info, std::max_element(row.begin(), row.end()) - row.begin());
  }
  json.EndArray().Key("probabilities").BeginArray();
  std::vector<double> probabilities(classes);
  for (std::size_t at = 0; at < scores.size(); at += classes) {
    Softmax(row_of(at).data(), static_cast<int>(classes), probabilities.data());
    WriteNumbers(json, probabilities);
  }
  json.EndArray();
}

}  // namespace

void WritePredictions(JsonWriter& json, const PipelineInfo& info,
                      const std::vector<double>& scores) {
  if (info.classes > 0) return WriteClassPredictions(json, info, scores);
  WriteNumbers(json.Key("predictions"), scores);
  if (info.loss != Name(LossKind::kLogistic)) return;
  json.Key("probabilities").BeginArray();
  for (const double score : scores) json.Value(Probability(score));
  json.EndArray();
}

}  // namespace lethe
