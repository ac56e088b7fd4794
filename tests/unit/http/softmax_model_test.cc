// The documents of a softmax model: lethe.model/1 and ONNX, for classes with names and without.

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "app/model/merge.h"
#include "engine/shard/model_json.h"
#include "tests/support/http_fixture.h"

namespace lethe::softmax_model_test {
namespace {

namespace dom = simdjson::dom;

PipelineInfo Info(bool has_names, bool bias) {
  PipelineInfo info = testing::DenseFacts();
  info.loss = "softmax";
  info.classes = 3;
  if (has_names) info.class_names = {"cat", "dog \"x\"", "7"};
  info.bias = bias;
  return info;
}

std::string Document(const PipelineInfo& info, const Vector& weights, std::int64_t shard,
                     std::int64_t learned) {
  const SodiumHasher hasher;
  const ShardModel model{.shard = {shard},
                         .state_id = "state",
                         .model_version = {12},
                         .clean_from = {3},
                         .learned = learned,
                         .weights = &weights};
  return ModelJson(info, {&model, 1}, hasher);
}

std::string Between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  return text.substr(begin, text.find(to) - begin);
}

TEST(SoftmaxModel, HasARowOfWeightsAndAnInterceptForEachClass) {
  // Two features and the bias, three classes of each.
  const Vector weights{{1, 2, 3, 4, 5, 6, 0.1, 0.2, 0.3}};
  EXPECT_EQ(Between(Document(Info(true, true), weights, 0, 9), "\"loss\"", ",\"config\""),
            R"("loss":"softmax","dimension":2,"classes":["cat","dog \"x\"","7"],)"
            R"("weights":[[1,4],[2,5],[3,6]],"intercept":[0.1,0.2,0.3])");
  EXPECT_EQ(Between(Document(Info(false, false), weights, 0, 9), "\"loss\"", ",\"config\""),
            R"("loss":"softmax","dimension":3,"classes":[0,1,2],)"
            R"("weights":[[1,4,0.1],[2,5,0.2],[3,6,0.3]],"intercept":[0,0,0])");
}

class SoftmaxFiles : public ::testing::Test {
 protected:
  SoftmaxFiles() { std::filesystem::create_directories(folder_); }
  ~SoftmaxFiles() override { std::filesystem::remove_all(folder_); }

  Result<ModelFile> Read(const std::string& document) {
    const std::string path = folder_ + "/" + std::to_string(files_++) + ".json";
    std::ofstream(path) << document;
    return ReadModel(path, hasher_);
  }
  // With its digest made right again.
  Result<ModelFile> ReadChanged(std::string document, const std::string& from,
                                const std::string& to) {
    const std::size_t at = document.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    document.replace(at, from.size(), to);
    document.resize(document.rfind(",\"sha256\""));
    const Digest digest = hasher_.Sha256(document);
    return Read(document + ",\"sha256\":\"" + ToHex(digest.data(), digest.size()) + "\"}");
  }

  const SodiumHasher hasher_;
  const std::string folder_ = ::testing::TempDir() + "/softmax_models";
  int files_ = 0;
};

TEST_F(SoftmaxFiles, AreReadBackAndWrittenAgainByteForByte) {
  const Vector weights{{0.1, -0.7, 1.0 / 3, 4, 5, 6, 1e-300, 0.2, 0.3}};
  for (const bool has_names : {false, true}) {
    const std::string document = Document(Info(has_names, true), weights, 2, 9);
    auto file = Read(document);
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_EQ(file.value().weights, weights);
    EXPECT_EQ(file.value().classes, 3);
    EXPECT_EQ(MergeModels({std::move(file).value()}, hasher_).value(), document);
  }
}

TEST_F(SoftmaxFiles, AreAveragedAsOneProcessWouldServeThem) {
  const PipelineInfo info = Info(true, true);
  const Vector first{{0.1, -0.7, 1.0 / 3, 4, 5, 6, 0.7, 0.2, 0.3}};
  const Vector second{{0.3, 0.1, -0.9, 1, 0, -6, 0.1, 0.4, 0.9}};
  const ShardModel models[] = {{.shard = {0},
                                .state_id = "state",
                                .model_version = {12},
                                .clean_from = {3},
                                .learned = 10,
                                .weights = &first},
                               {.shard = {1},
                                .state_id = "state",
                                .model_version = {12},
                                .clean_from = {3},
                                .learned = 7,
                                .weights = &second}};
  const auto merged = MergeModels(
      {Read(Document(info, second, 1, 7)).value(), Read(Document(info, first, 0, 10)).value()},
      hasher_);
  EXPECT_EQ(merged.value(), ModelJson(info, models, hasher_));
}

TEST_F(SoftmaxFiles, OfOtherClassesAreNotAveraged) {
  const Vector weights{{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const std::string first = Document(Info(true, true), weights, 0, 9);
  PipelineInfo other = Info(true, true);
  std::swap(other.class_names[0], other.class_names[1]);
  for (const PipelineInfo& info : {other, Info(false, true)}) {
    const auto merged =
        MergeModels({Read(first).value(), Read(Document(info, weights, 1, 9)).value()}, hasher_);
    EXPECT_EQ(merged.status().code(), ErrorCode::kInput);
  }
}

TEST_F(SoftmaxFiles, ThatAreNotWholeAreRefused) {
  const Vector weights{{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const std::string names = Document(Info(true, true), weights, 0, 9);
  const std::string numbers = Document(Info(false, true), weights, 0, 9);
  EXPECT_TRUE(ReadChanged(names, "\"cat\"", "\"bat\"").ok());
  for (const auto& [document, from, to] :
       std::initializer_list<std::tuple<std::string, std::string, std::string>>{
           {names, R"("cat",)", ""},
           {names, R"("cat")", "0"},
           {names, R"("classes":)", R"("other":)"},
           {names, "[1,4],", ""},
           {names, "[1,4]", "[1]"},
           {names, "[1,4]", "[1,4,5]"},
           {names, "[1,4]", R"([1,"4"])"},
           {names, "[1,4]", "1"},
           {names, "[7,8,9]", "[7,8]"},
           {names, "[7,8,9]", "7"},
           {numbers, "[0,1,2]", "[0,2,1]"},
           {numbers, "[0,1,2]", "[]"}}) {
    EXPECT_EQ(ReadChanged(document, from, to).status().code(), ErrorCode::kInput) << from << to;
  }
}

}  // namespace
}  // namespace lethe::softmax_model_test
