#include "http/onnx_model.h"

#include <bit>
#include <string_view>

#include "engine/admission/feature_hash.h"
#include "engine/base/varint.h"
#include "engine/spec/spec.h"

namespace lethe {
namespace {

// Numbers of onnx.proto (IR version 8).
constexpr std::int64_t kIrVersion = 8;
constexpr std::int64_t kOpset = 15;
constexpr std::int64_t kMlOpset = 1;  // both operators exist since the first version
constexpr char kMlDomain[] = "ai.onnx.ml";
constexpr std::int64_t kFloatTensor = 1;
constexpr std::int64_t kInt64Tensor = 7;
enum AttributeType : std::int64_t { kInt = 2, kString = 3, kFloats = 6, kInts = 7 };

// A writer of one protocol-buffer message. Fields are written in the order in which they are added.
class Message {
 public:
  Message& Integer(int field, std::int64_t value) {
    AddKey(field, 0);
    AppendVarint(static_cast<std::uint64_t>(value), bytes_);
    return *this;
  }
  Message& Bytes(int field, std::string_view bytes) {
    AddKey(field, 2);
    AppendVarint(bytes.size(), bytes_);
    bytes_ += bytes;
    return *this;
  }
  Message& Nested(int field, const Message& message) { return Bytes(field, message.bytes_); }
  // Packed, little-endian.
  Message& Floats(int field, const std::vector<float>& values) {
    AddKey(field, 2);
    AppendVarint(4 * values.size(), bytes_);
    for (const float value : values) {
      const auto bits = std::bit_cast<std::uint32_t>(value);
      for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift);
    }
    return *this;
  }

  std::string TakeBytes() { return std::move(bytes_); }

 private:
  void AddKey(int field, unsigned wire_type) {
    AppendVarint(static_cast<std::uint64_t>(field) << 3 | wire_type, bytes_);
  }

  std::string bytes_;
};

// AttributeProto: name 1, i 3, s 4, floats 7, ints 8, type 20.
Message Attribute(std::string_view name, AttributeType type) {
  return Message().Bytes(1, name).Integer(20, type);
}

// ValueInfoProto of a tensor with "N" rows and `columns` columns; 0 means one dimension only.
Message Value(std::string_view name, std::int64_t element, std::int64_t columns) {
  Message shape;
  shape.Nested(1, Message().Bytes(2, "N"));
  if (columns != 0) shape.Nested(1, Message().Integer(1, columns));
  return Message().Bytes(1, name).Nested(
      2, Message().Nested(1, Message().Integer(1, element).Nested(2, shape)));
}

// Appends one class: its coefficients and its intercept, times `sign`.
void AppendWeights(const OnnxModel& model, double sign, std::vector<float>& coefficients,
                   std::vector<float>& intercepts) {
  for (const double weight : model.weights) {
    coefficients.push_back(static_cast<float>(sign * weight));
  }
  intercepts.push_back(static_cast<float>(sign * model.intercept));
}

// GraphProto: node 1, name 2, input 11, output 12. NodeProto: input 1, output 2, op_type 4,
// attribute 5, domain 7.
Message Graph(const OnnxModel& model) {
  const bool classifies = model.loss == Name(LossKind::kLogistic);
  std::vector<float> coefficients;
  std::vector<float> intercepts;
  // Each class has its own row, because runtimes differ in how they read a classifier with one row.
  if (classifies) AppendWeights(model, -1, coefficients, intercepts);
  AppendWeights(model, 1, coefficients, intercepts);

  Message node;
  node.Bytes(1, "x");
  for (const char* output : {"label", "probabilities"}) {
    if (classifies) node.Bytes(2, output);
  }
  if (!classifies) node.Bytes(2, "prediction");
  node.Bytes(4, classifies ? "LinearClassifier" : "LinearRegressor").Bytes(7, kMlDomain);
  node.Nested(5, Attribute("coefficients", kFloats).Floats(7, coefficients));
  node.Nested(5, Attribute("intercepts", kFloats).Floats(7, intercepts));
  node.Nested(5, Attribute("post_transform", kString).Bytes(4, classifies ? "LOGISTIC" : "NONE"));
  if (classifies) {
    node.Nested(5, Attribute("classlabels_ints", kInts).Integer(8, -1).Integer(8, 1));
  } else {
    node.Nested(5, Attribute("targets", kInt).Integer(3, 1));
  }

  Message graph;
  graph.Nested(1, node).Bytes(2, "lethe");
  graph.Nested(11, Value("x", kFloatTensor, model.weights.size()));
  if (classifies) {
    graph.Nested(12, Value("label", kInt64Tensor, 0));
    graph.Nested(12, Value("probabilities", kFloatTensor, 2));
  } else {
    graph.Nested(12, Value("prediction", kFloatTensor, 1));
  }
  return graph;
}

}  // namespace

OnnxModel OnnxModelOf(const PipelineInfo& info, const Vector& weights,
                      std::span<const ShardModel> shards, const Hasher& hasher) {
  const Eigen::Index dimension = weights.size() - (info.bias ? 1 : 0);
  return {.loss = info.loss,
          .weights = weights.head(dimension),
          .intercept = info.bias ? weights[dimension] : 0,
          .hash_bits = info.hash_bits,
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
