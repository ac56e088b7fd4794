#include "http/predict.h"

#include <cmath>
#include <vector>

#include <simdjson.h>

#include "engine/shard/model_json.h"
#include "engine/shard/served_weights.h"
#include "http/predictions_json.h"

namespace lethe {
namespace {

namespace dom = simdjson::dom;

// A valid body is nested 3 deep. The limit is higher, so that a row nested too deep is reported by
// its number instead of as a parse error.
constexpr std::size_t kMaxDepth = 8;

HttpResponse BadRow(std::size_t row, const std::string& what) {
  JsonWriter json;
  json.BeginObject().Field("error", "instances[" + std::to_string(row) + "]: " + what);
  json.Field("row", static_cast<std::int64_t>(row)).EndObject();
  return JsonResponse(400, json.text());
}

// Finds the array of "instances". Returns the refusal if the body has another form.
std::optional<HttpResponse> FindInstances(dom::parser& parser, std::string_view body,
                                          dom::array& instances) {
  static constexpr char kExpected[] = "the body must be {\"instances\":[[...],...]}";
  dom::element root;
  simdjson::error_code error = parser.allocate(body.size() + 1, kMaxDepth);
  if (!error) error = parser.parse(body.data(), body.size()).get(root);
  if (error == simdjson::NUMBER_ERROR) {
    return ErrorResponse(400, "a number is not written as JSON has it, or is too large");
  }
  if (error == simdjson::DEPTH_ERROR) return ErrorResponse(400, "the body is nested too deep");
  if (error) return ErrorResponse(400, std::string("the body is not JSON; ") + kExpected);
  if (root["instances"].get(instances)) return ErrorResponse(400, kExpected);
  // simdjson's size() saturates at 2^24 - 1, far above this limit.
  if (instances.size() > kMaxPredictRows) {
    return ErrorResponse(400, "more than " + std::to_string(kMaxPredictRows) + " instances");
  }
  return std::nullopt;
}

}  // namespace

HttpResponse Predict(const PublishedState& published, const Hasher& hasher, std::string_view body) {
  const PipelineInfo& info = published.info();
  if (info.hash_bits) {
    return ErrorResponse(400,
                         "this model hashes named features and has no dense rows to predict for; "
                         "read /v1/model and hash as docs/formats/hashing.md says");
  }
  const auto reports = published.reports();
  if (reports.empty()) return ErrorResponse(503, "no model has been committed yet");

  dom::parser parser;
  dom::array instances;
  if (auto problem = FindInstances(parser, body, instances)) return *std::move(problem);

  const std::vector<ShardModel> shards = ModelsOf(reports);
  // The weights of one shard are not copied.
  Vector average;
  if (shards.size() > 1) average = AverageModels(shards);
  const Vector& weights = shards.size() > 1 ? average : *shards.front().weights;
  const auto outputs = static_cast<std::size_t>(WeightsPerFeature(info));
  const std::size_t dimension =
      static_cast<std::size_t>(weights.size()) / outputs - (info.bias ? 1 : 0);

  std::vector<double> scores;
  for (const dom::element instance : instances) {
    const std::size_t row = scores.size() / outputs;
    dom::array values;
    if (instance.get(values)) return BadRow(row, "not an array of numbers");
    const std::size_t begin = scores.size();
    for (std::size_t k = 0; k < outputs; ++k) {
      scores.push_back(info.bias ? weights.data()[dimension * outputs + k] : 0);
    }
    std::size_t column = 0;
    for (const dom::element value : values) {
      double number = 0;
      // get() also takes integers.
      if (value.get(number)) {
        return BadRow(row, "value " + std::to_string(column) + " is not a number");
      }
      for (std::size_t k = 0; column < dimension && k < outputs; ++k) {
        scores[begin + k] += weights.data()[column * outputs + k] * number;
      }
      ++column;
    }
    if (column != dimension) {
      return BadRow(
          row, std::to_string(column) + " values; the model takes " + std::to_string(dimension));
    }
    for (std::size_t k = 0; k < outputs; ++k) {
      if (!std::isfinite(scores[begin + k])) {
        return BadRow(row, "too large: its score is not finite");
      }
    }
  }

  JsonWriter json;
  json.BeginObject();
  WritePredictions(json, info, scores);
  WriteVersion(json, shards, hasher);
  WriteShards(json, shards);
  return JsonResponse(200, json.EndObject().text());
}

}  // namespace lethe
