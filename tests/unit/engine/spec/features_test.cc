// Which maps of features are refused, and why.

#include "engine/spec/features.h"

#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace lethe::features_test {
namespace {

ModelSpec Dense() {
  ModelSpec model;
  model.dimension = 3;
  return model;
}

ModelSpec Hashed(std::int64_t bits = 10) {
  ModelSpec model;
  model.hash_bits = bits;
  return model;
}

ScaleSpec Scale(std::vector<double> mean, std::vector<double> deviation,
                std::vector<std::string> names = {}) {
  return {.file = "s.json",
          .sha256 = "",
          .is_public = true,
          .names = std::move(names),
          .mean = std::move(mean),
          .deviation = std::move(deviation)};
}

std::string Refusal(const ModelSpec& model, const std::function<void(FeaturesSpec&)>& change) {
  FeaturesSpec features;
  change(features);
  EXPECT_TRUE(HasMaps(features));
  const Status status = CheckFeatures(model, features);
  return status.ok() ? "accepted" : status.message();
}

void ExpectRefusal(const std::string& begin, const ModelSpec& model,
                   const std::function<void(FeaturesSpec&)>& change) {
  EXPECT_EQ(Refusal(model, change).substr(0, begin.size()), begin);
}

TEST(FeaturesSpecTest, WithoutMapsNothingIsChecked) {
  EXPECT_FALSE(HasMaps({}));
  EXPECT_TRUE(CheckFeatures(Dense(), {}).ok());
  EXPECT_TRUE(CheckFeatures(Hashed(), {}).ok());
}

TEST(FeaturesSpecTest, ANamespaceIsTheNameUpToTheFirstMark) {
  EXPECT_EQ(NamespaceOf("country=DK"), "country");
  EXPECT_EQ(NamespaceOf("title^cheap"), "title");
  EXPECT_EQ(NamespaceOf("a^b=c"), "a");
  EXPECT_EQ(NamespaceOf("a=b^c"), "a");
  EXPECT_EQ(NamespaceOf("age"), "age");
  EXPECT_EQ(NamespaceOf("=x"), "");
  EXPECT_EQ(NamespaceOf(""), "");
}

TEST(FeaturesSpecTest, TextAndCrossNeedNames) {
  const auto text = [](FeaturesSpec& f) { f.text = TextFeatures::kWords; };
  const auto cross = [](FeaturesSpec& f) { f.cross = {{"a", "b"}}; };
  ExpectRefusal("features.text: features x have no names", Dense(), text);
  ExpectRefusal("features.cross: features x have no names", Dense(), cross);
  EXPECT_EQ(Refusal(Hashed(), text), "accepted");
  EXPECT_EQ(Refusal(Hashed(), cross), "accepted");
}

TEST(FeaturesSpecTest, CrossesThatCouldNeverMatchAreRefused) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const auto cross = [](Pairs pairs) { return [pairs](FeaturesSpec& f) { f.cross = pairs; }; };
  ExpectRefusal("features.cross: a namespace is empty", Hashed(), cross({{"a", ""}}));
  ExpectRefusal("features.cross: a namespace has ^ or =", Hashed(), cross({{"a^b", "c"}}));
  ExpectRefusal("features.cross: a namespace has ^ or =", Hashed(), cross({{"a", "c=d"}}));
  ExpectRefusal("features.cross: a pair is listed twice", Hashed(),
                cross({{"a", "b"}, {"c", "c"}, {"b", "a"}}));
  Pairs many;
  for (std::size_t i = 0; i <= kMostCrosses; ++i) many.emplace_back("a", std::to_string(i));
  ExpectRefusal("features.cross: has 257 pairs; at most 256", Hashed(), cross(many));
  many.pop_back();
  EXPECT_EQ(Refusal(Hashed(), cross(many)), "accepted");
}

TEST(FeaturesSpecTest, AScaleMustFitTheModelAndBeFinite) {
  const auto scale = [](ScaleSpec s) { return [s](FeaturesSpec& f) { f.scale = s; }; };
  EXPECT_EQ(Refusal(Dense(), scale(Scale({1, 2, 3}, {1, 2, 3}))), "accepted");
  EXPECT_EQ(Refusal(Hashed(), scale(Scale({1}, {2}, {"age"}))), "accepted");
  EXPECT_EQ(Refusal(Dense(), scale(Scale({1, 2}, {1, 2}))),
            "features.scale: s.json has 2 means, and model.dimension is 3");
  EXPECT_EQ(Refusal(Dense(), scale(Scale({1, 2, 3}, {1, 2}))),
            "features.scale: s.json has 3 means and 2 deviations");
  EXPECT_EQ(Refusal(Dense(), scale(Scale({1, 2, 3}, {1, 2, 3}, {"a"}))),
            "features.scale: s.json has 3 means and 1 names");
  ExpectRefusal("features.scale: s.json has no names", Hashed(), scale(Scale({1}, {2})));
  EXPECT_EQ(Refusal(Hashed(), scale(Scale({1, 1}, {2, 2}, {"a", "a"}))),
            "features.scale: s.json names a feature twice");
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    ExpectRefusal("features.scale: s.json: feature 1 has a mean or deviation that is not finite",
                  Dense(), scale(Scale({1, bad, 3}, {1, 2, 3})));
    ExpectRefusal("features.scale: s.json: feature 2 has a mean or deviation that is not finite",
                  Dense(), scale(Scale({1, 2, 3}, {1, 2, bad})));
  }
  for (const double bad : {0.0, -0.0, -1.0, 1e-300}) {
    ExpectRefusal("features.scale: s.json: feature 0 (age) has a deviation that is not above 0",
                  Hashed(), scale(Scale({1}, {bad}, {"age"})));
  }
}

TEST(FeaturesSpecTest, FourierFeaturesAreBoundedInNumber) {
  const auto fourier = [](std::int64_t dimension, double gamma = 1) {
    return [=](FeaturesSpec& f) { f.fourier = {dimension, gamma, 1}; };
  };
  EXPECT_EQ(Refusal(Dense(), fourier(kMostFourierFeatures)), "accepted");
  for (const std::int64_t bad : {std::int64_t{-2}, std::int64_t{1}, std::int64_t{7},
                                 kMostFourierFeatures + 2, std::int64_t{1} << 62}) {
    if (bad < 0) continue;  // counts as none
    ExpectRefusal("features.fourier.dimension: must be an even number", Dense(), fourier(bad));
  }
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    ExpectRefusal("features.fourier.gamma: must be between", Dense(), fourier(8, bad));
  }
  EXPECT_EQ(Refusal(Hashed(14), fourier(2048)), "accepted");
  ExpectRefusal("features.fourier.dimension: 1025 directions in 16384 features are 16793600",
                Hashed(14), fourier(2050));
  ExpectRefusal("features.fourier.dimension: ", Hashed(24), fourier(4));
}

TEST(FeaturesSpecTest, RowsOfNormOneNeedABoundThatTakesThem) {
  const auto normalise = [](FeaturesSpec& f) { f.normalise = NormaliseKind::kL2; };
  const auto fourier = [](FeaturesSpec& f) { f.fourier.dimension = 8; };
  ModelSpec model = Dense();
  model.feature_norm = 0.5;
  ExpectRefusal("features.normalise: makes rows of norm 1", model, normalise);
  ExpectRefusal("features.fourier: makes rows of norm 1", model, fourier);
  model.oversized = Oversized::kRescale;
  EXPECT_EQ(Refusal(model, normalise), "accepted");
  EXPECT_EQ(Refusal(model, fourier), "accepted");
}

TEST(FeaturesSpecTest, AClipMustBeAboveZero) {
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL, 1e-200}) {
    ExpectRefusal("features.clip: must be a number above 0", Dense(),
                  [bad](FeaturesSpec& f) { f.clip = bad; });
  }
}

TEST(FeaturesSpecTest, AreWrittenInTheirOrderAndWithoutDefaults) {
  FeaturesSpec features;
  features.fourier = {8, 0.5, 7};
  features.normalise = NormaliseKind::kL2;
  features.clip = 3;
  features.cross = {{"a", "b"}};
  features.scale = Scale({1}, {2}, {"age"});
  features.scale.sha256 = "ab";
  features.text = TextFeatures::kNgrams;
  const auto text = [&features](ScaleForm form) {
    JsonWriter json;
    WriteFeatures(json, features, form);
    return json.text();
  };
  const std::string begin = R"({"text":"ngrams","scale":{"public":true,"sha256":"ab")";
  const std::string end = R"(},"cross":[["a","b"]],"clip":3,"normalise":"l2",)"
                          R"("fourier":{"dimension":8,"gamma":0.5,"seed":7}})";
  EXPECT_EQ(text(ScaleForm::kHash), begin + end);
  EXPECT_EQ(text(ScaleForm::kNumbers),
            begin + R"(,"names":["age"],"mean":[1],"deviation":[2])" + end);
  features = {};
  EXPECT_EQ(text(ScaleForm::kNumbers), "{}");
}

}  // namespace
}  // namespace lethe::features_test
