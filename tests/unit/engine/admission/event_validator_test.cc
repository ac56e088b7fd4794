// What the validator lets through is what every bound was derived for.

#include "engine/admission/event_validator.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/spec/constants.h"
#include "tests/support/proof_random.h"

namespace lethe::event_validator_test {
namespace {

using proof::Dice;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kDenormal = std::numeric_limits<double>::denorm_min();

ModelSpec Model(Oversized oversized = Oversized::kReject) {
  ModelSpec model;
  model.dimension = 3;
  model.feature_norm = 1;
  model.label_bound = 2;
  model.oversized = oversized;
  return model;
}

Event Dense(std::vector<double> x, double y = 1) {
  Event event;
  event.x = std::move(x);
  event.y = y;
  return event;
}

std::optional<Reason> Refused(const ModelSpec& model, const Event& event) {
  Example example;
  const auto rejection = EventValidator(model).Admit(event, example);
  if (!rejection) return std::nullopt;
  EXPECT_FALSE(rejection->is_request);
  EXPECT_FALSE(rejection->message.empty());
  return rejection->reason;
}

Example Admitted(const ModelSpec& model, const Event& event) {
  Example example;
  const auto rejection = EventValidator(model).Admit(event, example);
  EXPECT_FALSE(rejection) << rejection->message;
  return example;
}

TEST(EventValidatorTest, NumbersThatAreNotFiniteAreRefusedInEveryPosition) {
  for (const Oversized oversized : {Oversized::kReject, Oversized::kRescale}) {
    for (const double bad : {kNan, -kNan, kInf, -kInf}) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (const double other : {0.0, 0.5, kMax}) {
          std::vector<double> x(3, other);
          x[i] = bad;
          EXPECT_EQ(Refused(Model(oversized), Dense(x)), Reason::kNotFinite) << i << " " << bad;
        }
      }
      for (const LossKind loss : {LossKind::kLogistic, LossKind::kSquared, LossKind::kHuber}) {
        ModelSpec model = Model(oversized);
        model.loss = loss;
        EXPECT_EQ(Refused(model, Dense({0, 0, 0}, bad)), Reason::kNotFinite) << bad;
      }
    }
  }
}

TEST(EventValidatorTest, WrongNumbersOfFeaturesAreRefused) {
  for (const std::size_t size : {0, 1, 2, 4, 100}) {
    EXPECT_EQ(Refused(Model(), Dense(std::vector<double>(size, 0))), Reason::kWrongDimension);
  }
  ModelSpec with_bias = Model();
  with_bias.bias = true;  // which is no feature of the event
  EXPECT_EQ(Refused(with_bias, Dense({0, 0, 0, 1})), Reason::kWrongDimension);
}

TEST(EventValidatorTest, NamedFeaturesAreRefusedByADenseModel) {
  Event event = Dense({0, 0, 0});
  event.named = {{"age", 0.5}};
  EXPECT_EQ(Refused(Model(), event), Reason::kWrongDimension);
}

TEST(EventValidatorTest, FeaturesAboveTheBoundAreRefused) {
  const double above = std::nextafter(1.0, 2.0);
  for (const std::vector<double>& x : {std::vector<double>{above, 0, 0},
                                       {0, -above, 0},
                                       {0.6, 0.6, 0.6},
                                       {1e154, 1e154, 0},
                                       {1e308, 1e308, 1e308},
                                       {kMax, 0, 0},
                                       {-kMax, kMax, -kMax}}) {
    EXPECT_EQ(Refused(Model(), Dense(x)), Reason::kOversized) << x[0];
  }
}

TEST(EventValidatorTest, FeaturesUpToTheBoundPassUnchanged) {
  for (const std::vector<double>& x : {std::vector<double>{1, 0, 0},
                                       {0, 0, -1},
                                       {0.6, 0.8, 0},
                                       {-0.0, 0.0, -0.0},
                                       {kDenormal, -kDenormal, 1e-320},
                                       {0.5, -0.5, 0.5}}) {
    for (const Oversized oversized : {Oversized::kReject, Oversized::kRescale}) {
      const Example example = Admitted(Model(oversized), Dense(x));
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(example.x[static_cast<Eigen::Index>(i)], x[i]);
        EXPECT_EQ(std::signbit(example.x[static_cast<Eigen::Index>(i)]), std::signbit(x[i]));
      }
    }
  }
}

TEST(EventValidatorTest, RescalingEndsInsideHoweverLargeTheFeatures) {
  Dice dice(21);
  for (int i = 0; i < 20'000; ++i) {
    ModelSpec model = Model(Oversized::kRescale);
    model.dimension = 1 + dice.Below(i % 100 == 0 ? 500 : 8);
    model.feature_norm = dice.LogUniform(1e-3, 1e3);
    const double size = dice.Chance(0.3) ? 1e307 : model.feature_norm * dice.LogUniform(1, 1e20);
    const Vector x = dice.Direction(model.dimension, 1) * size;
    const Example example = Admitted(model, Dense({x.begin(), x.end()}));
    ASSERT_LE(example.x.norm(), model.feature_norm);
    ASSERT_GE(example.x.norm(), model.feature_norm * (1 - 1e-14));
    ASSERT_NEAR(example.x.normalized().dot(x / size), 1, 1e-12);  // same direction
  }
  const Example example = Admitted(Model(Oversized::kRescale), Dense({1e308, -1e308, 1e308}));
  EXPECT_NEAR(example.x[1], -1 / std::sqrt(3), 1e-15);
  EXPECT_LE(example.x.norm(), 1);
}

TEST(EventValidatorTest, BiasIsOneWhateverTheFeatures) {
  for (const Oversized oversized : {Oversized::kReject, Oversized::kRescale}) {
    ModelSpec model = Model(oversized);
    model.bias = true;
    EXPECT_EQ(EventValidator(model).input_dimension(), 4);
    const double length = oversized == Oversized::kRescale ? 1e300 : 1;
    const Example example = Admitted(model, Dense({length, 0, 0}));
    ASSERT_EQ(example.x.size(), 4);
    EXPECT_EQ(example.x[0], 1);
    EXPECT_EQ(example.x[3], 1);
    EXPECT_LE(example.x.norm(), Constants::Derive(model).value().feature_norm);
  }
  EXPECT_EQ(EventValidator(Model()).input_dimension(), 3);
}

TEST(EventValidatorTest, LogisticTakesTwoLabelsAndWritesZeroAsMinusOne) {
  ModelSpec model = Model();
  for (const double y : {0.5, 2.0, -2.0, 1e-300, std::nextafter(1.0, 2.0), kMax}) {
    EXPECT_EQ(Refused(model, Dense({0, 0, 0}, y)), Reason::kLabelOutOfRange) << y;
  }
  EXPECT_EQ(Admitted(model, Dense({0, 0, 0}, 1)).y, 1);
  for (const double y : {-1.0, 0.0, -0.0}) EXPECT_EQ(Admitted(model, Dense({0, 0, 0}, y)).y, -1);
}

TEST(EventValidatorTest, RegressionTakesLabelsUpToTheirBound) {
  for (const LossKind loss : {LossKind::kSquared, LossKind::kHuber}) {
    ModelSpec model = Model();
    model.loss = loss;
    for (const double y : {std::nextafter(2.0, 3.0), -2.1, kMax, -kMax}) {
      EXPECT_EQ(Refused(model, Dense({0, 0, 0}, y)), Reason::kLabelOutOfRange) << y;
    }
    for (const double y : {2.0, -2.0, 0.0, 0.3, kDenormal}) {
      EXPECT_EQ(Admitted(model, Dense({0, 0, 0}, y)).y, y);
    }
  }
}

TEST(EventValidatorTest, WeightsReachFromZeroToTheirBound) {
  ModelSpec model = Model();
  model.weight_bound = 2;
  Event event = Dense({0, 0, 0});
  for (const double w : {-kDenormal, -1.0, std::nextafter(2.0, 3.0), kMax, -kMax}) {
    event.w = w;
    EXPECT_EQ(Refused(model, event), Reason::kWeightOutOfRange) << w;
  }
  for (const double w : {kNan, kInf, -kInf}) {
    event.w = w;
    EXPECT_EQ(Refused(model, event), Reason::kNotFinite) << w;
  }
  for (const double w : {2.0, 1.0, 0.3, kDenormal, 0.0, -0.0}) {
    event.w = w;
    EXPECT_EQ(Admitted(model, event).w, w);
    EXPECT_FALSE(std::signbit(Admitted(model, event).w));
  }
  event.w = 1.5;
  EXPECT_EQ(Refused(Model(), event), Reason::kWeightOutOfRange) << "1 is the default";
}

TEST(EventValidatorTest, OnlySoftmaxTakesNamesOfClasses) {
  for (const LossKind loss : {LossKind::kLogistic, LossKind::kSquared, LossKind::kHuber}) {
    ModelSpec model = Model();
    model.loss = loss;
    Event event = Dense({0, 0, 0}, 0);
    event.label = "1";
    EXPECT_EQ(Refused(model, event), Reason::kWrongType);
  }
}

TEST(EventValidatorTest, ClassesWithoutNamesAreNumbers) {
  ModelSpec model = Model();
  model.loss = LossKind::kSoftmax;
  model.classes = 3;
  for (const double y : {-1.0, 3.0, 0.5, 1e300, -kDenormal}) {
    EXPECT_EQ(Refused(model, Dense({0, 0, 0}, y)), Reason::kLabelOutOfRange) << y;
  }
  EXPECT_EQ(Refused(model, Dense({0, 0, 0}, kNan)), Reason::kNotFinite);
  for (const double y : {0.0, -0.0, 1.0, 2.0}) {
    EXPECT_EQ(Admitted(model, Dense({0, 0, 0}, y)).y, y);
    EXPECT_FALSE(std::signbit(Admitted(model, Dense({0, 0, 0}, y)).y));
  }
  Event event = Dense({0, 0, 0}, 0);
  event.label = "1";
  EXPECT_EQ(Refused(model, event), Reason::kWrongType);
}

TEST(EventValidatorTest, ClassesWithNamesAreKnownByThem) {
  ModelSpec model = Model();
  model.loss = LossKind::kSoftmax;
  model.class_names = {"dog", "cat", "10", "-3"};
  model.classes = 4;
  const auto of = [](std::optional<std::string> label, double y = 0) {
    Event event = Dense({0, 0, 0}, y);
    event.label = std::move(label);
    return event;
  };
  EXPECT_EQ(Admitted(model, of("dog")).y, 0);
  EXPECT_EQ(Admitted(model, of("cat")).y, 1);
  EXPECT_EQ(Admitted(model, of("10")).y, 2);
  EXPECT_EQ(Admitted(model, of({}, 10)).y, 2) << "an integer stands for its text";
  EXPECT_EQ(Admitted(model, of({}, -3)).y, 3);
  for (const char* name : {"", "Dog", "do", "dogs", "0"}) {
    EXPECT_EQ(Refused(model, of(name)), Reason::kUnknownClass) << name;
  }
  EXPECT_EQ(Refused(model, of({}, 0)), Reason::kUnknownClass);
  EXPECT_EQ(Refused(model, of({}, 0.5)), Reason::kWrongType);
  EXPECT_EQ(Refused(model, of({}, 1e300)), Reason::kWrongType);
  EXPECT_EQ(Refused(model, of({}, kNan)), Reason::kNotFinite);
}

TEST(EventValidatorTest, MessagesSayWhereAndCarryNoValues) {
  Example example;
  const auto not_finite = EventValidator(Model()).Admit(Dense({0, kNan, 0}), example);
  EXPECT_EQ(not_finite->message.find("x[1]: "), 0u);
  const auto oversized = EventValidator(Model()).Admit(Dense({31337, 0, 0}), example);
  EXPECT_EQ(oversized->message.find("31337"), std::string::npos);
  const auto label = EventValidator(Model()).Admit(Dense({0, 0, 0}, 31337), example);
  EXPECT_EQ(label->message.find("31337"), std::string::npos);
}

TEST(EventValidatorTest, ExampleMayBeReusedAfterARefusal) {
  Example example;
  const EventValidator validator(Model());
  EXPECT_TRUE(validator.Admit(Dense({kNan, 5, 5}), example).has_value());
  EXPECT_FALSE(validator.Admit(Dense({0.1, 0.2, 0.3}, -1), example).has_value());
  EXPECT_EQ(example.x, (Vector(3) << 0.1, 0.2, 0.3).finished());
  EXPECT_EQ(example.y, -1);
}

}  // namespace
}  // namespace lethe::event_validator_test
