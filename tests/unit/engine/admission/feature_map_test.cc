// What the maps of features make of one event.

#include "engine/admission/feature_map.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/admission/event_validator.h"
#include "engine/admission/feature_hash.h"
#include "engine/base/elementary.h"
#include "tests/support/proof_random.h"

namespace lethe::feature_map_test {
namespace {

using proof::Dice;

ModelSpec Dense(std::int64_t dimension = 3) {
  ModelSpec model;
  model.dimension = dimension;
  return model;
}

ModelSpec Hashed(std::int64_t bits = 18) {
  ModelSpec model;
  model.hash_bits = bits;
  model.feature_norm = 1e3;
  return model;
}

Event Row(std::vector<double> x) {
  Event event;
  event.x = std::move(x);
  event.y = 1;
  return event;
}

Event Named(NamedValues named, NamedTexts texts = {}) {
  Event event;
  event.named = std::move(named);
  event.texts = std::move(texts);
  event.y = 1;
  return event;
}

Example Admitted(const ModelSpec& model, const FeaturesSpec& features, const Event& event) {
  Example example;
  const auto rejection =
      EventValidator(model, FeatureMap::Make(model, features)).Admit(event, example);
  EXPECT_FALSE(rejection) << rejection->message;
  return example;
}

Rejection Refused(const ModelSpec& model, const FeaturesSpec& features, const Event& event) {
  Example example;
  const auto rejection =
      EventValidator(model, FeatureMap::Make(model, features)).Admit(event, example);
  EXPECT_TRUE(rejection);
  return rejection.value_or(Rejection{});
}

NamedValues Names(const FeaturesSpec& features, const NamedValues& values,
                  const NamedTexts& texts = {}) {
  NamedValues named;
  EXPECT_TRUE(FeatureMap(Hashed(), features).MapNames(values, texts, named));
  return named;
}

void ExpectSame(const Example& a, const Example& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.at, b.at);
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

TEST(FeatureMapTest, IsThereOnlyIfAMapIsConfigured) {
  EXPECT_EQ(FeatureMap::Make(Dense(), {}), nullptr);
  FeaturesSpec features;
  features.clip = 1;
  EXPECT_NE(FeatureMap::Make(Dense(), features), nullptr);
}

TEST(FeatureMapTest, TextsBecomeWordsAndPairsOfWords) {
  FeaturesSpec features;
  features.text = TextFeatures::kWords;
  const NamedTexts texts = {{"t", " Cheap, cheap! \xc3\x89t\xc3\xa9-2 "}, {"u", ".,;"}, {"v", ""}};
  const NamedValues words = {
      {"a", 2}, {"t^cheap", 1}, {"t^cheap", 1}, {"t^\xc3\x89t\xc3\xa9", 1}, {"t^2", 1}};
  EXPECT_EQ(Names(features, {{"a", 2}}, texts), words);
  features.text = TextFeatures::kNgrams;
  EXPECT_EQ(Names(features, {}, {{"t", "One two THREE"}}),
            (NamedValues{
                {"t^one", 1}, {"t^two", 1}, {"t^one two", 1}, {"t^three", 1}, {"t^two three", 1}}));
  // A word that occurs twice counts twice.
  features.text = TextFeatures::kWords;
  const Example example = Admitted(Hashed(), features, Named({}, {{"t", "b B b"}}));
  ASSERT_EQ(example.x.size(), 1);
  EXPECT_EQ(std::abs(example.x[0]), 3);
}

TEST(FeatureMapTest, ATextIsRefusedUnlessTextsAreMapped) {
  const Event event = Named({{"a", 1}}, {{"SECRET", "SECRET"}});
  FeaturesSpec features;
  for (int i = 0; i < 2; ++i) {
    const Rejection rejection = Refused(Hashed(), features, event);
    EXPECT_EQ(rejection.reason, Reason::kWrongType);
    EXPECT_NE(rejection.message.find("features.text"), std::string::npos);
    EXPECT_EQ(rejection.message.find("SECRET"), std::string::npos);
    features.clip = 1;
  }
  EXPECT_EQ(Refused(Dense(), {}, Named({}, {{"t", "a"}})).reason, Reason::kWrongDimension);
}

TEST(FeatureMapTest, CrossesAreProductsOfTwoNamespaces) {
  FeaturesSpec features;
  features.cross = {{"c", "n"}, {"w", "w"}, {"c", "absent"}};
  const NamedValues values = {{"c=UA", 2}, {"n", -3}, {"w^a", 1}, {"w^b", 5}, {"w", 7}, {"cn", 9}};
  NamedValues expected = values;
  for (const auto& feature :
       NamedValues{{"c=UA*n", -6}, {"w^a*w^b", 5}, {"w^a*w", 7}, {"w^b*w", 35}}) {
    expected.push_back(feature);
  }
  EXPECT_EQ(Names(features, values), expected);
}

TEST(FeatureMapTest, NamedFeaturesAreScaledByNameBeforeTheyAreCrossed) {
  FeaturesSpec features;
  features.scale = Scale({30, 1}, {10, 2}, {"age", "t^old"});
  features.cross = {{"age", "c"}};
  features.text = TextFeatures::kWords;
  EXPECT_EQ(Names(features, {{"age", 50}, {"c=UA", 1}, {"other", 50}}, {{"t", "old"}}),
            (NamedValues{{"age", 2}, {"c=UA", 1}, {"other", 50}, {"t^old", 0}, {"age*c=UA", 2}}));
}

TEST(FeatureMapTest, ManyWordsOrCrossesAreTooManyAndTakeNoMemory) {
  FeaturesSpec features;
  features.text = TextFeatures::kWords;
  std::string text;
  for (std::size_t i = 0; i < kMaxFeatures; ++i) text += "w" + std::to_string(i) + " ";
  EXPECT_EQ(Names(features, {}, {{"t", text}}).size(), kMaxFeatures);
  EXPECT_EQ(Refused(Hashed(), features, Named({}, {{"t", text + "x"}})).reason, Reason::kTooLarge);
  EXPECT_EQ(Refused(Hashed(), features, Named({{"a", 1}}, {{"t", text}})).reason,
            Reason::kTooLarge);
  features.cross = {{"a", "b"}};
  NamedValues named;
  for (int i = 0; i < 63; ++i) named.emplace_back("a^" + std::to_string(i), 1);
  for (int i = 0; i < 63; ++i) named.emplace_back("b^" + std::to_string(i), 1);
  EXPECT_EQ(Names(features, named).size(), 126u + 63 * 63);
  for (int i = 63; i < 2000; ++i) named.emplace_back("a^" + std::to_string(i), 1);
  EXPECT_EQ(Refused(Hashed(), features, Named(named)).reason, Reason::kTooLarge);
}

TEST(FeatureMapTest, DenseRowsAreScaledClippedAndNormalisedInThisOrder) {
  FeaturesSpec features;
  ModelSpec model = Dense();
  model.feature_norm = 1e6;
  features.scale = Scale({1, 2, 3}, {2, 4, 0.5});
  EXPECT_EQ(Admitted(model, features, Row({5, -2, 103})).x, Vector({{2, -1, 200}}));
  features.clip = 2;
  EXPECT_EQ(Admitted(model, features, Row({5, -2, 103})).x, Vector({{2, -1, 2}}));
  features.normalise = NormaliseKind::kL2;
  const Vector third = Admitted(model, features, Row({5, -2, 103})).x;
  EXPECT_LT((third - Vector({{2, -1, 2}}) / 3).norm(), 1e-15);
  features.scale = {};
  features.clip = {};
  EXPECT_LT((Admitted(model, features, Row({3, 0, -4})).x - Vector({{0.6, 0, -0.8}})).norm(),
            1e-15);
}

TEST(FeatureMapTest, TheBiasComesAfterTheMapsAndOutsideOfThem) {
  FeaturesSpec features;
  features.clip = 0.5;
  features.normalise = NormaliseKind::kL2;
  ModelSpec model = Dense(2);
  model.bias = true;
  EXPECT_EQ(Admitted(model, features, Row({0, -9})).x, Vector({{0, -1, 1}}));
  ModelSpec hashed = Hashed(4);
  hashed.bias = true;
  const Example example = Admitted(hashed, features, Named({{"a", 9}}));
  EXPECT_EQ(example.x, Vector({{1, 1}}));
  EXPECT_EQ(example.at, (std::vector<std::uint32_t>{8, 16}));
  features.fourier.dimension = 6;
  const Example dense = Admitted(hashed, features, Named({{"a", 9}}));
  EXPECT_EQ(dense.x.size(), 7);
  EXPECT_EQ(dense.x[6], 1);
  EXPECT_TRUE(dense.at.empty());
}

TEST(FeatureMapTest, ARowOfZerosStaysOneWhenItIsNormalised) {
  FeaturesSpec features;
  features.normalise = NormaliseKind::kL2;
  EXPECT_EQ(Admitted(Dense(), features, Row({0, -0.0, 0})).x, Vector::Zero(3));
  EXPECT_EQ(Admitted(Hashed(), features, Named({})).x.size(), 0);
  EXPECT_EQ(Admitted(Hashed(), features, Named({{"a", 0}})).x.size(), 0);
}

TEST(FeatureMapTest, NormalisedRowsHaveAComputedNormOfAtMostOne) {
  FeaturesSpec features;
  features.normalise = NormaliseKind::kL2;
  Dice dice(1);
  for (int i = 0; i < 3000; ++i) {
    const auto d = 1 + static_cast<std::int64_t>(dice.Below(9));
    const double size = elementary::Pow(10, static_cast<double>(dice.Below(600)) - 300);
    const Vector x = dice.Direction(d, size);
    const Vector y = Admitted(Dense(d), features, Row({x.data(), x.data() + x.size()})).x;
    EXPECT_LE(std::sqrt(y.squaredNorm()), 1);
    EXPECT_GT(y.norm(), 1 - 1e-14);
  }
}

TEST(FeatureMapTest, FourierFeaturesApproximateTheKernelAndHaveNormOne) {
  FeaturesSpec features;
  features.fourier = {4096, 0.7, 3};
  const ModelSpec model = Dense(4);
  Dice dice(2);
  for (int i = 0; i < 30; ++i) {
    const Vector a = dice.Direction(4, 1), b = a + dice.Direction(4, 0.05 * i);
    const auto map = [&](const Vector& v) {
      return Admitted(model, features, Row({v.data(), v.data() + 4})).x;
    };
    const Vector x = map(a), y = map(b);
    EXPECT_LE(std::sqrt(x.squaredNorm()), 1);
    EXPECT_GT(x.norm(), 1 - 1e-9);
    EXPECT_NEAR(x.dot(y), elementary::Exp(-0.7 * (a - b).squaredNorm()), 0.06);
  }
}

// Whatever the row and however many features: the bound is 1 and no event is refused.
TEST(FeatureMapTest, FourierFeaturesNeverExceedTheBound) {
  Dice dice(3);
  for (const std::int64_t dimension : {2, 6, 100, 65536}) {
    FeaturesSpec features;
    features.fourier = {dimension, 1e-3, 1};
    const auto map = FeatureMap::Make(Dense(1), features);
    const EventValidator validator(Dense(1), map);
    Example example;
    for (int i = 0; i < (dimension > 1000 ? 20 : 2000); ++i) {
      const double x =
          elementary::Pow(10, static_cast<double>(dice.Below(320)) - 20) * dice.Uniform();
      ASSERT_FALSE(validator.Admit(Row({x}), example)) << x;
      ASSERT_LE(std::sqrt(example.x.squaredNorm()), 1);
    }
  }
}

// docs/formats/features.md has these numbers.
TEST(FeatureMapTest, FourierDirectionsAreThoseOfTheFormat) {
  const FourierFeatures fourier({4, 0.5, 1}, 2);
  const std::vector<double> radians = {-0.034267321791851144, -2.5000674933698677,
                                       0.08772246831488635, -2.0271348479598177};
  ASSERT_EQ(fourier.InTurns().size(), radians.size());
  for (std::size_t i = 0; i < radians.size(); ++i) {
    EXPECT_NEAR(fourier.InTurns()[i] * 2 * std::numbers::pi, radians[i], 1e-15);
  }
  Example example{Vector({{0.5, -2}}), 1};
  fourier.Map(example);
  const Vector expected{
      {0.6940351909638477, -0.6672492055440168, -0.13533349069530234, 0.234048067073579}};
  EXPECT_LT((example.x - expected).norm(), 1e-10);
}

TEST(FeatureMapTest, AHashedRowHasTheFourierFeaturesOfItsDenseForm) {
  FeaturesSpec features;
  features.fourier = {20, 2, 5};
  ModelSpec hashed = Hashed(4);
  const NamedValues named = {{"a", 0.5}, {"b", -1}, {"c", 2}};
  const Example sparse = Admitted(hashed, {}, Named(named));
  const Vector dense = Spread(sparse, 16);
  const Example expected =
      Admitted(Dense(16), features, Row({dense.data(), dense.data() + dense.size()}));
  ExpectSame(Admitted(hashed, features, Named(named)), expected);
  // An empty row is the origin, whose cosines are all 1.
  const Example empty = Admitted(hashed, features, Named({}));
  EXPECT_NEAR(empty.x.head(10).sum(), 10 * std::sqrt(2.0 / 20), 1e-9);
  EXPECT_EQ(empty.x.tail(10), Vector::Zero(10));
}

TEST(FeatureMapTest, RowsThatAreNotFiniteAreRefused) {
  const double kMax = std::numeric_limits<double>::max();
  FeaturesSpec features;
  features.clip = 1;
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(Refused(Dense(), features, Row({0, bad, 0})).reason, Reason::kNotFinite);
    EXPECT_EQ(Refused(Hashed(), features, Named({{"a", bad}})).reason, Reason::kNotFinite);
  }
  features = {};
  features.scale = Scale({-kMax, 0, 0}, {1, 1e-100, 1});
  EXPECT_EQ(Refused(Dense(), features, Row({kMax, 0, 0})).reason, Reason::kNotFinite);
  EXPECT_EQ(Refused(Dense(), features, Row({0, kMax, 0})).reason, Reason::kNotFinite);
  features = {};
  features.fourier = {8, 1e12, 1};
  EXPECT_EQ(Refused(Dense(), features, Row({kMax, kMax, 0})).reason, Reason::kNotFinite);
  features = {};
  features.cross = {{"a", "b"}};
  EXPECT_EQ(Refused(Hashed(), features, Named({{"a", kMax}, {"b", 2}})).reason, Reason::kNotFinite);
}

TEST(FeatureMapTest, TheBoundIsTestedAfterTheLastMap) {
  FeaturesSpec features;
  features.scale = Scale({0, 0, 0}, {100, 100, 100});
  EXPECT_EQ(Admitted(Dense(), features, Row({100, 0, 0})).x, Vector({{1, 0, 0}}));
  EXPECT_EQ(Refused(Dense(), features, Row({101, 0, 0})).reason, Reason::kOversized);
  ModelSpec rescaled = Dense();
  rescaled.oversized = Oversized::kRescale;
  EXPECT_LE(Admitted(rescaled, features, Row({900, 900, 900})).x.norm(), 1);
}

// The fast path for dense records gives the same bits, or leaves the event to the other one.
TEST(FeatureMapTest, AViewIsMappedLikeAnEvent) {
  Dice dice(4);
  for (int bits = 0; bits < 16; ++bits) {
    FeaturesSpec features;
    if ((bits & 1) != 0) features.scale = Scale({1, 0, -1}, {2, 3, 0.25});
    if ((bits & 2) != 0) features.clip = 0.5;
    if ((bits & 4) != 0) features.normalise = NormaliseKind::kL2;
    if ((bits & 8) != 0) features.fourier = {10, 1, 2};
    for (const bool bias : {false, true}) {
      ModelSpec model = Dense();
      model.bias = bias;
      const EventValidator validator(model, FeatureMap::Make(model, features));
      int taken = 0;
      for (int i = 0; i < 200; ++i) {
        const Vector x = dice.Direction(3, 3 * dice.Uniform());
        LearnView view;
        view.y = 1;
        view.x = reinterpret_cast<const char*>(x.data());
        view.count = 3;
        Example fast, slow;
        const auto rejection = validator.Admit(Row({x.data(), x.data() + 3}), slow);
        ASSERT_EQ(validator.AdmitView(view, fast), !rejection);
        if (rejection) continue;
        ++taken;
        ExpectSame(fast, slow);
      }
      EXPECT_GT(taken, 5) << bits;
    }
  }
}

}  // namespace
}  // namespace lethe::feature_map_test
