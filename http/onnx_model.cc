#include "http/onnx_model.h"

#include <string_view>
#include <utility>

#include "engine/admission/feature_hash.h"
#include "engine/base/json.h"
#include "engine/shard/served_weights.h"
#include "engine/spec/features.h"
#include "engine/spec/spec.h"
#include "http/onnx_maps.h"
#include "http/onnx_message.h"

namespace lethe {
namespace {

using onnx::Attribute;
using onnx::kFloatTensor;
using onnx::Message;
using enum onnx::AttributeType;

// Numbers of onnx.proto (IR version 8).
constexpr std::int64_t kIrVersion = 8;
constexpr std::int64_t kOpset = 15;
constexpr std::int64_t kMlOpset = 1;  // both operators exist since the first version
constexpr char kMlDomain[] = "ai.onnx.ml";
constexpr std::int64_t kInt64Tensor = 7;
constexpr std::int64_t kStringTensor = 8;

// ValueInfoProto of a tensor with "N" rows and `columns` columns; 0 means one dimension only.
Message Value(std::string_view name, std::int64_t element, std::int64_t columns) {
  Message shape;
  shape.Nested(1, Message().Bytes(2, "N"));
  if (columns != 0) shape.Nested(1, Message().Integer(1, columns));
  return Message().Bytes(1, name).Nested(
      2, Message().Nested(1, Message().Integer(1, element).Nested(2, shape)));
}

// Appends the coefficients and the intercept of one output, times `sign`.
void AppendWeights(const OnnxModel& model, std::size_t output, double sign,
                   std::vector<float>& coefficients, std::vector<float>& intercepts) {
  for (const double weight : model.weights[output]) {
    coefficients.push_back(static_cast<float>(sign * weight));
  }
  intercepts.push_back(static_cast<float>(sign * model.intercepts[output]));
}

// The attribute with the labels of a classifier.
Message Labels(const OnnxModel& model, bool is_softmax) {
  if (!model.class_names.empty()) {
    Message labels = Attribute("classlabels_strings", kStrings);
    for (const std::string& name : model.class_names) labels.Bytes(9, name);
    return labels;
  }
  Message labels = Attribute("classlabels_ints", kInts);
  if (!is_softmax) return labels.Integer(8, -1).Integer(8, 1);
  for (std::size_t k = 0; k < model.weights.size(); ++k) {
    labels.Integer(8, static_cast<std::int64_t>(k));
  }
  return labels;
}

// GraphProto: node 1, name 2, initializer 5, input 11, output 12. NodeProto: attribute 5, domain 7.
Message Graph(const OnnxModel& model) {
  const bool is_logistic = model.loss == Name(LossKind::kLogistic);
  const bool is_softmax = model.loss == Name(LossKind::kSoftmax);
  const bool classifies = is_logistic || is_softmax;
  std::vector<float> coefficients;
  std::vector<float> intercepts;
  // Each class has its own row, because runtimes differ in how they read a classifier with one row.
  if (is_logistic) AppendWeights(model, 0, -1, coefficients, intercepts);
  for (std::size_t k = 0; k < model.weights.size(); ++k) {
    AppendWeights(model, k, 1, coefficients, intercepts);
  }

  const onnx::MapNodes maps = onnx::NodesOf(model.features.get(), model.hash_bits.has_value());
  std::vector<std::string> outputs = {"prediction"};
  if (classifies) outputs = {"label", "probabilities"};
  Message node =
      onnx::Node(classifies ? "LinearClassifier" : "LinearRegressor", {maps.output}, outputs);
  node.Bytes(7, kMlDomain);
  node.Nested(5, Attribute("coefficients", kFloats).Floats(7, coefficients));
  node.Nested(5, Attribute("intercepts", kFloats).Floats(7, intercepts));
  const char* const transform = is_softmax ? "SOFTMAX" : is_logistic ? "LOGISTIC" : "NONE";
  node.Nested(5, Attribute("post_transform", kString).Bytes(4, transform));
  if (classifies) {
    node.Nested(5, Labels(model, is_softmax));
  } else {
    node.Nested(5, Attribute("targets", kInt).Integer(3, 1));
  }

  const std::int64_t inputs =
      model.features ? model.features->inputs() : model.weights.front().size();
  Message graph;
  for (const Message& map : maps.nodes) graph.Nested(1, map);
  graph.Nested(1, node).Bytes(2, "lethe");
  for (const Message& constant : maps.constants) graph.Nested(5, constant);
  graph.Nested(11, Value("x", kFloatTensor, inputs));
  if (classifies) {
    const std::int64_t label = model.class_names.empty() ? kInt64Tensor : kStringTensor;
    graph.Nested(12, Value("label", label, 0));
    graph.Nested(
        12, Value("probabilities", kFloatTensor, static_cast<std::int64_t>(intercepts.size())));
  } else {
    graph.Nested(12, Value("prediction", kFloatTensor, 1));
  }
  return graph;
}

}  // namespace

OnnxModel OnnxModelOf(const PipelineInfo& info, const Vector& weights,
                      std::span<const ShardModel> shards, const Hasher& hasher) {
  const Eigen::Index outputs = WeightsPerFeature(info);
  const Eigen::Index dimension = weights.size() / outputs - (info.bias ? 1 : 0);
  std::vector<Vector> rows;
  std::vector<double> intercepts;
  for (Eigen::Index k = 0; k < outputs; ++k) {
    Vector& row = rows.emplace_back(dimension);
    for (Eigen::Index i = 0; i < dimension; ++i) row[i] = weights[i * outputs + k];
    intercepts.push_back(info.bias ? weights[dimension * outputs + k] : 0);
  }
  return {.loss = info.loss,
          .weights = std::move(rows),
          .intercepts = std::move(intercepts),
          .class_names = info.class_names,
          .hash_bits = info.hash_bits,
          .features = info.features,
          .model_id = ModelId(shards, hasher),
          .shards = {shards.begin(), shards.end()},
          .config_sha256 = info.config_sha256,
          .receipts = {}};
}

// ModelProto: ir_version 1, producer_name 2, model_version 5, graph 7, opset_import 8 (domain 1,
// version 2), metadata_props 14 (key 1, value 2).
std::string OnnxBytes(const OnnxModel& model) {
  Message file;
  file.Integer(1, kIrVersion).Bytes(2, "lethe");
  // The average of several shards has no single version number.
  const bool is_one = model.shards.size() == 1;
  if (is_one) file.Integer(5, model.shards.front().model_version.value);
  file.Nested(7, Graph(model));
  file.Nested(8, Message().Bytes(1, "").Integer(2, kOpset));
  file.Nested(8, Message().Bytes(1, kMlDomain).Integer(2, kMlOpset));
  const auto add = [&file](const std::string& key, const std::string& value) {
    file.Nested(14, Message().Bytes(1, "lethe." + key).Bytes(2, value));
  };
  const auto add_shard = [&add](const std::string& suffix, const ShardModel& shard) {
    add("model_version" + suffix, std::to_string(shard.model_version.value));
    add("clean_from" + suffix, std::to_string(shard.clean_from.value));
  };
  if (is_one) add_shard("", model.shards.front());
  add("model_id", model.model_id);
  add("loss", model.loss);
  add("config", model.config_sha256);
  if (model.hash_bits) {
    add("hash_bits", std::to_string(*model.hash_bits));
    add("hash", kFeatureHashName);
  }
  if (model.features) {
    JsonWriter json;
    WriteFeatures(json, model.features->spec(), ScaleForm::kNumbers);
    add("features", json.text());
  }
  for (const ShardModel& shard : model.shards) {
    const std::string suffix = "." + std::to_string(shard.shard.value);
    add("state" + suffix, shard.state_id);
    add_shard(suffix, shard);
  }
  for (const auto& [shard, sha256] : model.receipts) {
    add("receipt_sha256." + std::to_string(shard.value), sha256);
  }
  return file.TakeBytes();
}

}  // namespace lethe
