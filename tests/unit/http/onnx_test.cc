#include <algorithm>
#include <bit>
#include <map>

#include <gtest/gtest.h>

#include "http/onnx_model.h"
#include "tests/support/http_fixture.h"

namespace lethe::onnx_test {
namespace {

using testing::Get;
using testing::HttpReply;
using testing::RunningServer;

// A protocol buffer, read as anybody would: field numbers with their values in order.
class Fields {
 public:
  explicit Fields(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::uint64_t key = TakeVarint(bytes);
      const int field = static_cast<int>(key >> 3);
      if ((key & 7) == 0) {
        numbers[field].push_back(static_cast<std::int64_t>(TakeVarint(bytes)));
      } else {
        EXPECT_EQ(key & 7, 2U) << "an unexpected wire type";
        const std::size_t stated = TakeVarint(bytes);
        const std::size_t size = std::min(stated, bytes.size());
        EXPECT_EQ(size, stated) << "a field that is cut off";
        texts[field].emplace_back(bytes.substr(0, size));
        bytes.remove_prefix(size);
      }
    }
  }

  Fields Nested(int field, std::size_t i = 0) const { return Fields(texts.at(field).at(i)); }

  std::map<int, std::vector<std::int64_t>> numbers;
  std::map<int, std::vector<std::string>> texts;

 private:
  static std::uint64_t TakeVarint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (int shift = 0; !bytes.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
};

std::vector<float> Floats(const std::string& packed) {
  std::vector<float> values;
  for (std::size_t i = 0; i + 4 <= packed.size(); i += 4) {
    std::uint32_t bits = 0;
    for (std::size_t b = 4; b-- > 0;) bits = bits << 8 | static_cast<unsigned char>(packed[i + b]);
    values.push_back(std::bit_cast<float>(bits));
  }
  return values;
}

// The attributes of the only node, by name.
std::map<std::string, Fields> Attributes(const Fields& model) {
  std::map<std::string, Fields> attributes;
  const Fields node = model.Nested(7).Nested(1);
  for (const std::string& bytes : node.texts.at(5)) {
    const Fields attribute(bytes);
    attributes.emplace(attribute.texts.at(1).at(0), attribute);
  }
  return attributes;
}

std::map<std::string, std::string> Metadata(const Fields& model) {
  std::map<std::string, std::string> metadata;
  for (const std::string& bytes : model.texts.at(14)) {
    const Fields pair(bytes);
    metadata[pair.texts.at(1).at(0)] = pair.texts.at(2).at(0);
  }
  return metadata;
}

TEST(HttpOnnx, ALogisticModelIsAClassifierWithARowForEachClass) {
  PipelineInfo info = testing::DenseFacts();
  info.bias = true;
  RunningServer server(info);
  server.published.Show(testing::FullReport(0, Vector{{0.5, -0.25, 2.0}}, 10));
  const HttpReply reply = Get(server.url, "/v1/model?format=onnx");
  ASSERT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-type"), "application/octet-stream");
  EXPECT_EQ(reply.headers.at("cache-control"), "no-cache");
  const Fields model(reply.body);
  EXPECT_EQ(model.numbers.at(1).at(0), 8);
  EXPECT_EQ(model.numbers.at(5).at(0), 13);
  const Fields node = model.Nested(7).Nested(1);
  EXPECT_EQ(node.texts.at(4).at(0), "LinearClassifier");
  EXPECT_EQ(node.texts.at(7).at(0), "ai.onnx.ml");
  const auto attributes = Attributes(model);
  EXPECT_EQ(Floats(attributes.at("coefficients").texts.at(7).at(0)),
            (std::vector<float>{-0.5F, 0.25F, 0.5F, -0.25F}));
  EXPECT_EQ(Floats(attributes.at("intercepts").texts.at(7).at(0)),
            (std::vector<float>{-2.0F, 2.0F}));
  EXPECT_EQ(attributes.at("classlabels_ints").numbers.at(8), (std::vector<std::int64_t>{-1, 1}));
  EXPECT_EQ(attributes.at("post_transform").texts.at(4).at(0), "LOGISTIC");
}

TEST(HttpOnnx, OtherLossesGiveARegressor) {
  for (const char* loss : {"squared", "huber"}) {
    const Fields model(OnnxBytes(
        {.loss = loss,
         .weights = {Vector{{0.5, -0.25}}},
         .intercepts = {0.125},
         .hash_bits = {},
         .model_id = "beef",
         .shards = {{.shard = {0}, .state_id = "s", .model_version = {300}, .clean_from = {200}}},
         .config_sha256 = "c0ffee",
         .receipts = {}}));
    EXPECT_EQ(model.Nested(7).Nested(1).texts.at(4).at(0), "LinearRegressor");
    const auto attributes = Attributes(model);
    EXPECT_EQ(Floats(attributes.at("coefficients").texts.at(7).at(0)),
              (std::vector<float>{0.5F, -0.25F}));
    EXPECT_EQ(Floats(attributes.at("intercepts").texts.at(7).at(0)), (std::vector<float>{0.125F}));
    EXPECT_EQ(attributes.count("classlabels_ints"), 0U);
    EXPECT_EQ(Metadata(model).at("lethe.model_version"), "300");
  }
}

TEST(HttpOnnx, ASoftmaxModelIsAClassifierWithItsClasses) {
  for (const bool has_names : {false, true}) {
    PipelineInfo info = testing::DenseFacts();
    info.loss = "softmax";
    info.classes = 3;
    if (has_names) info.class_names = {"cat", "dog", "owl"};
    info.bias = true;
    RunningServer server(info);
    server.published.Show(
        testing::FullReport(0, Vector{{1, 2, 3, 4, 5, 6, 0.5, 0.25, -0.125}}, 10));
    const Fields model(Get(server.url, "/v1/model?format=onnx").body);
    EXPECT_EQ(model.Nested(7).Nested(1).texts.at(4).at(0), "LinearClassifier");
    const auto attributes = Attributes(model);
    EXPECT_EQ(Floats(attributes.at("coefficients").texts.at(7).at(0)),
              (std::vector<float>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(Floats(attributes.at("intercepts").texts.at(7).at(0)),
              (std::vector<float>{0.5F, 0.25F, -0.125F}));
    EXPECT_EQ(attributes.at("post_transform").texts.at(4).at(0), "SOFTMAX");
    if (has_names) {
      EXPECT_EQ(attributes.at("classlabels_strings").texts.at(9),
                (std::vector<std::string>{"cat", "dog", "owl"}));
      EXPECT_EQ(attributes.count("classlabels_ints"), 0U);
    } else {
      EXPECT_EQ(attributes.at("classlabels_ints").numbers.at(8),
                (std::vector<std::int64_t>{0, 1, 2}));
    }
    EXPECT_EQ(Metadata(model).at("lethe.loss"), "softmax");
  }
}

// The maps stand before the model in the order in which the engine applies them.
TEST(HttpOnnx, MapsOfFeaturesAreNodesOfTheGraph) {
  FeaturesSpec features;
  features.scale = {.file = "s.json",
                    .sha256 = "ab",
                    .is_public = true,
                    .names = {},
                    .mean = {1, 2},
                    .deviation = {3, 4}};
  features.clip = 1.5;
  features.normalise = NormaliseKind::kL2;
  features.fourier = {6, 1, 1};
  PipelineInfo info = testing::DenseFacts();
  ModelSpec spec;
  spec.dimension = info.dimension;
  const auto graph_of = [&info] {
    const Vector weights = Vector::Ones(6);
    const ShardModel shard{.shard = {0},
                           .state_id = "s",
                           .model_version = {1},
                           .clean_from = {0},
                           .learned = 1,
                           .weights = &weights};
    return Fields(OnnxBytes(OnnxModelOf(info, weights, {&shard, 1}, SodiumHasher())));
  };
  const auto operators = [](const Fields& model) {
    std::string all;
    const Fields graph = model.Nested(7);
    for (const std::string& node : graph.texts.at(1)) {
      all += Fields(node).texts.at(4).at(0) + " ";
    }
    return all;
  };
  info.features = FeatureMap::Make(spec, features);
  const Fields dense = graph_of();
  EXPECT_EQ(operators(dense),
            "Sub Div Clip ReduceL2 Max Div MatMul Cos Sin Concat Mul LinearClassifier ");
  EXPECT_EQ(dense.Nested(7).texts.at(5).size(), 7u);  // constants
  EXPECT_EQ(Metadata(dense).at("lethe.features").substr(0, 37),
            R"({"scale":{"public":true,"sha256":"ab")");
  // Of a hashed row the scale is applied by name, before hashing.
  features.scale.names = {"a", "b"};
  spec.hash_bits = info.hash_bits = 4;
  info.features = FeatureMap::Make(spec, features);
  EXPECT_EQ(operators(graph_of()),
            "Clip ReduceL2 Max Div MatMul Cos Sin Concat Mul LinearClassifier ");
}

TEST(HttpOnnx, TheMetadataNameTheReceiptsOfEveryShard) {
  RunningServer server;
  server.published.Show(testing::FullReport(0, Vector{{0.5, -0.1}}, 10));
  server.published.Show(testing::FullReport(3, Vector{{0.5, -0.1}}, 10));
  const std::map<std::string, std::string> expected = {
      {"lethe.loss", "logistic"},         {"lethe.config", "c0ffee"},
      {"lethe.state.0", "state-0"},       {"lethe.state.3", "state-3"},
      {"lethe.model_version.0", "13"},    {"lethe.model_version.3", "13"},
      {"lethe.clean_from.0", "11"},       {"lethe.clean_from.3", "11"},
      {"lethe.receipt_sha256.0", "abcd"}, {"lethe.receipt_sha256.3", "abcd"}};
  auto found = Metadata(Fields(Get(server.url, "/v1/model?format=onnx").body));
  EXPECT_EQ(found.at("lethe.model_id").size(), 64U);
  found.erase("lethe.model_id");
  EXPECT_EQ(found, expected);
}

TEST(HttpOnnx, EachFormatHasATagOfItsOwn) {
  RunningServer server;
  EXPECT_EQ(Get(server.url, "/v1/model?format=onnx").status, 503);
  server.published.Show(testing::FullReport(0, Vector{{0.5, -0.1}}, 10));
  const std::string json = Get(server.url, "/v1/model").headers.at("etag");
  const std::string onnx = Get(server.url, "/v1/model?format=onnx").headers.at("etag");
  EXPECT_NE(json, onnx);
  EXPECT_EQ(Get(server.url, "/v1/model?format=json").headers.at("etag"), json);
  const HttpReply again = Get(server.url, "/v1/model?format=onnx", {{"If-None-Match", onnx}});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(Get(server.url, "/v1/model?format=onnx", {{"If-None-Match", json}}).status, 200);
  server.published.Show(testing::FullReport(0, Vector{{0.5, -0.2}}, 11));
  EXPECT_EQ(Get(server.url, "/v1/model?format=onnx", {{"If-None-Match", onnx}}).status, 200);
}

TEST(HttpOnnx, AnUnknownFormatIsSaid) {
  RunningServer server;
  server.published.Show(testing::FullReport(0, Vector{{0.5, -0.1}}, 10));
  const HttpReply reply = Get(server.url, "/v1/model?format=pmml");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body, "{\"error\":\"format must be json or onnx\"}\n");
}

}  // namespace
}  // namespace lethe::onnx_test
