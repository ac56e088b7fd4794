#include <cfloat>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "engine/admission/event_validator.h"
#include "engine/admission/feature_hash.h"

namespace lethe::hashing_validator_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class HashedValidatorTest : public ::testing::Test {
 protected:
  HashedValidatorTest() { model.hash_bits = 18; }

  std::optional<Rejection> Admit(std::vector<std::pair<std::string, double>> named, double y = 1) {
    Event event;
    event.named = std::move(named);
    event.y = y;
    return EventValidator(model).Admit(event, example);
  }
  void ExpectRefused(std::vector<std::pair<std::string, double>> named, Reason reason,
                     const std::string& message) {
    const auto rejection = Admit(std::move(named));
    ASSERT_TRUE(rejection.has_value());
    EXPECT_EQ(rejection->reason, reason);
    EXPECT_EQ(rejection->message, message);
    EXPECT_FALSE(rejection->is_request);
  }

  // A name that shares `name`'s place, with the same sign or the other one.
  std::string Colliding(const std::string& name, bool same_sign) {
    const HashedFeature wanted = HashFeature(name, *model.hash_bits);
    for (int i = 0;; ++i) {
      std::string candidate = "c" + std::to_string(i);
      const HashedFeature found = HashFeature(candidate, *model.hash_bits);
      if (found.index == wanted.index && (found.sign == wanted.sign) == same_sign) return candidate;
    }
  }

  ModelSpec model;
  Example example;
};

TEST_F(HashedValidatorTest, RefusesTheOtherKindOfFeatures) {
  Event dense;
  dense.x = {0.1, 0.2};
  dense.y = 1;
  const auto rejection = EventValidator(model).Admit(dense, example);
  ASSERT_TRUE(rejection.has_value());
  EXPECT_EQ(rejection->reason, Reason::kWrongDimension);
  EXPECT_EQ(rejection->message, "x: this model takes named features f");

  model.hash_bits.reset();
  model.dimension = 2;
  ExpectRefused({{"a", 0.1}}, Reason::kWrongDimension,
                "f: this model takes dense features x of length 2");
  ExpectRefused({}, Reason::kWrongDimension, "x: has 0 values, the model takes 2");
}

TEST_F(HashedValidatorTest, RefusesNumbersThatAreNotFinite) {
  for (const double bad : {kInfinity, -kInfinity, kNaN}) {
    for (const Oversized oversized : {Oversized::kReject, Oversized::kRescale}) {
      model.oversized = oversized;
      ExpectRefused({{"a", 0.1}, {"secret", bad}}, Reason::kNotFinite,
                    "f[1]: is not a finite number");
    }
  }
  EXPECT_EQ(Admit({{"a", 0.1}}, kNaN)->reason, Reason::kNotFinite);
}

TEST_F(HashedValidatorTest, RefusesACollisionThatOverflows) {
  for (const Oversized oversized : {Oversized::kReject, Oversized::kRescale}) {
    model.oversized = oversized;
    ExpectRefused({{"a", DBL_MAX}, {"a", DBL_MAX}}, Reason::kNotFinite,
                  "f: features that share a place add up to no finite number");
  }
}

TEST_F(HashedValidatorTest, RefusesMoreFeaturesThanTheRoundOffTermCounts) {
  std::vector<std::pair<std::string, double>> many;
  for (std::size_t i = 0; i < kMaxFeatures; ++i) many.emplace_back("f" + std::to_string(i), 1e-3);
  EXPECT_FALSE(Admit(many).has_value());
  many.emplace_back("one more", 0);
  ExpectRefused(many, Reason::kTooLarge, "f: has 4097 features, the most is 4096");
}

TEST_F(HashedValidatorTest, RefusesLabelsAsForDenseModels) {
  EXPECT_EQ(Admit({{"a", 0.1}}, 0.5)->reason, Reason::kLabelOutOfRange);
  EXPECT_FALSE(Admit({{"a", 0.1}}, 0).has_value());
  EXPECT_EQ(example.y, -1);
}

TEST_F(HashedValidatorTest, BoundsTheNormOfWhatWasHashed) {
  // Each alone is small, and together they are in one place.
  const std::string same = Colliding("a", true);
  EXPECT_FALSE(Admit({{"a", 0.7}, {"b", 0.7}}).has_value());
  ExpectRefused({{"a", 0.7}, {same, 0.7}}, Reason::kOversized,
                "f: its norm is above model.feature_norm");
  ExpectRefused({{"a", 0.7}, {"a", 0.7}}, Reason::kOversized,
                "f: its norm is above model.feature_norm");
  // Each alone is large, and together they cancel.
  const std::string other = Colliding("a", false);
  EXPECT_FALSE(Admit({{"a", 70}, {other, 69.5}}).has_value());
  ASSERT_EQ(example.x.size(), 1);
  EXPECT_EQ(std::abs(example.x[0]), 0.5);
}

TEST_F(HashedValidatorTest, RescalesToTheBoundAfterHashing) {
  model.oversized = Oversized::kRescale;
  model.bias = true;
  for (const double size : {1.0000001, 3.0, 1e200, DBL_MAX / 4}) {
    ASSERT_FALSE(Admit({{"a", size}, {"b", size}, {"a", size}}).has_value()) << size;
    ASSERT_EQ(example.x.size(), 3);
    EXPECT_LE(example.x.head(2).norm(), model.feature_norm);
    EXPECT_NEAR(example.x.head(2).norm(), model.feature_norm, 1e-12);
    EXPECT_NEAR(example.x.head(2).cwiseAbs().maxCoeff(), 2 / std::sqrt(5), 1e-12);
    EXPECT_EQ(example.x[2], 1) << "the bias is not rescaled";
  }
  // What is within the bound is left alone, bit for bit.
  ASSERT_FALSE(Admit({{"a", 0.3}}).has_value());
  EXPECT_EQ(std::abs(example.x[0]), 0.3);
}

TEST_F(HashedValidatorTest, PutsTheBiasBehindAllFeatures) {
  model.bias = true;
  EXPECT_EQ(EventValidator(model).input_dimension(), (1 << 18) + 1);
  ASSERT_FALSE(Admit({{"b", 0.3}, {"a", 0.2}}).has_value());
  ASSERT_EQ(example.at.size(), 3u);
  EXPECT_LT(example.at[0], example.at[1]);
  EXPECT_EQ(example.at[2], 1u << 18);
  EXPECT_EQ(example.x[2], 1);
  EXPECT_EQ(Spread(example, (1 << 18) + 1).squaredNorm(), example.x.squaredNorm());
}

TEST_F(HashedValidatorTest, AcceptsAnEventWithoutFeatures) {
  EXPECT_FALSE(Admit({}).has_value());
  EXPECT_TRUE(example.at.empty());
  EXPECT_EQ(example.x.size(), 0);
  model.bias = true;
  EXPECT_FALSE(Admit({}).has_value());
  EXPECT_EQ(example.at, (std::vector<std::uint32_t>{1u << 18}));
}

TEST_F(HashedValidatorTest, LeavesNothingOfTheEventBefore) {
  ASSERT_FALSE(Admit({{"a", 0.1}, {"b", 0.2}, {"c", 0.3}}).has_value());
  ASSERT_FALSE(Admit({{"a", 0.1}}).has_value());
  EXPECT_EQ(example.at.size(), 1u);
  EXPECT_EQ(example.x.size(), 1);
}

}  // namespace
}  // namespace lethe::hashing_validator_test
