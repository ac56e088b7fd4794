// Maps of features in a model document: what is written is read back, and what is not known is
// refused, because a row that is mapped in another way would get a wrong score.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "app/model/merge.h"
#include "connectors/system/sodium_hash.h"
#include "engine/spec/features.h"

namespace lethe::model_features_test {
namespace {

FeaturesSpec EveryMap() {
  FeaturesSpec features;
  features.text = TextFeatures::kNgrams;
  features.scale = {.file = "s.json",
                    .sha256 = "ab",
                    .is_public = true,
                    .names = {"age", "a \"b\""},
                    .mean = {0.1, -3},
                    .deviation = {1.0 / 3, 2}};
  features.cross = {{"a", "b"}, {"c", "c"}};
  features.clip = 2.5;
  features.normalise = NormaliseKind::kL2;
  features.fourier = {6, 0.1, 7};
  return features;
}

class ModelFeatures : public ::testing::Test {
 protected:
  ~ModelFeatures() override { std::filesystem::remove(path_); }

  static std::string Document(const ModelSpec& model, const FeaturesSpec& features,
                              Eigen::Index weights) {
    PipelineInfo info;
    info.loss = "logistic";
    info.dimension = model.dimension;
    info.hash_bits = model.hash_bits;
    info.features = FeatureMap::Make(model, features);
    const Vector values = Vector::LinSpaced(weights, 1, 2);
    const ShardModel shard{.shard = {0},
                           .state_id = "s",
                           .model_version = {1},
                           .clean_from = {0},
                           .learned = 3,
                           .weights = &values};
    return ModelJson(info, {&shard, 1}, SodiumHasher());
  }
  Result<ModelFile> Read(const std::string& document) {
    std::ofstream(path_) << document;
    return ReadModel(path_, SodiumHasher());
  }
  // With its digest made right again.
  std::string Refusal(std::string document, const std::string& from, const std::string& to) {
    const std::size_t at = document.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    document.replace(at, from.size(), to);
    document.resize(document.rfind(",\"sha256\""));
    const Digest digest = SodiumHasher().Sha256(document);
    const auto file =
        Read(document + ",\"sha256\":\"" + ToHex(digest.data(), digest.size()) + "\"}");
    return file.ok() ? "accepted" : file.status().message().substr(path_.size() + 2);
  }

  const std::string path_ = ::testing::TempDir() + "/model_features.json";
};

TEST_F(ModelFeatures, AreReadBackAndWrittenAgainByteForByte) {
  ModelSpec hashed;
  hashed.hash_bits = 4;
  ModelSpec dense;
  dense.dimension = 2;
  FeaturesSpec for_dense = EveryMap();
  for_dense.text = TextFeatures::kNone;
  for_dense.cross.clear();
  FeaturesSpec clip;
  clip.clip = 3;
  for (const std::string& document :
       {Document(hashed, EveryMap(), 6), Document(dense, for_dense, 6), Document(dense, clip, 2),
        Document(hashed, clip, 16), Document(dense, {}, 2)}) {
    auto file = Read(document);
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_EQ(MergeModels({std::move(file).value()}, SodiumHasher()).value(), document);
  }
}

TEST_F(ModelFeatures, OfAnotherFormAreRefused) {
  ModelSpec hashed;
  hashed.hash_bits = 4;
  const std::string document = Document(hashed, EveryMap(), 6);
  const char* const cases[][3] = {
      {R"("clip":2.5)", R"("whiten":2.5)", "features.whiten is not of a form"},
      {R"("clip":2.5)", R"("clip":"x")", "features.clip is not of a form"},
      {R"("clip":2.5)", R"("clip":-1)", "features.clip: must be a number above 0"},
      {R"("normalise":"l2")", R"("normalise":"l1")", "features.normalise is not of a form"},
      {R"("text":"ngrams")", R"("text":"chars")", "features.text is not of a form"},
      {R"(["c","c"])", R"(["c"])", "features.cross is not of a form"},
      {R"("gamma":0.1)", R"("gama":0.1)", "features.fourier is not of a form"},
      {R"("dimension":6,"gamma")", R"("dimension":8,"gamma")", "has weights for another number"},
      {R"("deviation":[)", R"("deviation":[0,)", "features.scale: "},
      {R"("mean":[)", R"("mean":["x",)", "features.scale: mean[0] is not a number"},
      {R"("hash_bits":4)", R"("hash_bits":40)", "hash_bits is out of range"},
  };
  for (const auto& [from, to, problem] : cases) {
    const std::string refusal = Refusal(document, from, to);
    EXPECT_EQ(refusal.substr(0, std::string(problem).size()), problem) << to;
  }
}

}  // namespace
}  // namespace lethe::model_features_test
