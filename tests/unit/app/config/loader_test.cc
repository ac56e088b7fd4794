// Keys: unknown ones, missing ones, and what keys say about one another.
#include "app/config/loader.h"

#include <gtest/gtest.h>

#include "tests/support/config_text.h"

namespace lethe::config::loader_test {
namespace {

std::string Appended(const std::string& text) { return Complaint(kMinimal + text); }

TEST(ConfigLoaderTest, UnknownKeysGetTheNearestOfTheirGroup) {
  EXPECT_EQ(Complaint("model:\n  dimension: 20\n  lamda: 1\n"),
            "f:3: model.lamda: unknown key; allowed: one of loss, classes, dimension, hash_bits, "
            "bias, feature_norm, oversized, label_bound, huber_width, lambda, radius, "
            "weight_bound; did you mean model.lambda?");
  EXPECT_EQ(Appended("forgeting: {mode: passive}\n"),
            "f:3: forgeting: unknown key; allowed: one of model, features, learning, forgetting, "
            "noise, source, publish, dead_letter, state, erasure, regret, http; did you mean "
            "forgetting?");
  EXPECT_EQ(CheckText(kMinimal + std::string("forgetting: {budget: {epsilom: 1}}\n"))
                .errors.at(0)
                .nearest,
            "forgetting.budget.epsilon");
}

TEST(ConfigLoaderTest, AKeyInTheWrongPlaceIsSentHome) {
  const auto nearest = [](const std::string& text) {
    return CheckText(kMinimal + text).errors.at(0).nearest;
  };
  EXPECT_EQ(nearest("lambda: 1\n"), "model.lambda");
  EXPECT_EQ(nearest("epsilon: 1\n"), "forgetting.budget.epsilon");
  EXPECT_EQ(nearest("http: {topic: a}\n"), "source.kafka.topic");
  EXPECT_EQ(nearest("zzzzzz: 1\n"), "");
}

TEST(ConfigLoaderTest, AKeyIsUnknownWhateverItHolds) {
  for (const char* value : {"", "1", "[1]", "{a: 1}", "null", "{dimension: 20}"}) {
    EXPECT_EQ(Appended("zzzzzz: " + std::string(value) + "\n").substr(0, 24),
              "f:3: zzzzzz: unknown key");
  }
}

TEST(ConfigLoaderTest, AGroupMustBeAMapping) {
  EXPECT_EQ(Appended("noise: off\n"),
            "f:3: noise: is not a mapping; allowed: a mapping with keys: one of source, seed");
  EXPECT_EQ(Appended("forgetting:\n  budget: [1, 2]\n").substr(0, 40),
            "f:4: forgetting.budget: is not a mapping");
}

TEST(ConfigLoaderTest, AGroupWithEverythingCommentedOutIsEmpty) {
  EXPECT_EQ(Appended("forgetting:\n#  mode: active\nhttp: {}\nstate: null\n"), "no error");
}

TEST(ConfigLoaderTest, LiteralSecretsAreRefused) {
  EXPECT_EQ(Appended("source:\n  kafka:\n    security:\n      password: hunter2\n"),
            "f:6: source.kafka.security.password: use password_file: secrets come from files");
  EXPECT_EQ(Appended("http: {token: hunter2}\n"),
            "f:3: http.token: use token_file: secrets come from files");
}

TEST(ConfigLoaderTest, AllErrorsComeAtOnceInTheOrderOfTheFile) {
  const std::vector<std::string> lines = Complaints(
      "model:\n"
      "  dimension: 20\n"
      "  lambda: 0\n"
      "  lamda: 1\n"
      "learning: {eta: fast}\n"
      "forgetting:\n"
      "  budget: {epsilon: 1, mu: 2}\n"
      "  lambda: 2\n"
      "  deadline: ${UNSET}\n"
      "http: {listen: nowhere}\n"
      "http: {}\n"
      "model: {}\n");
  ASSERT_EQ(lines.size(), 9u);
  const char* starts[] = {
      "f:3: model.lambda: ",      "f:4: model.lamda: ",       "f:5: learning.eta: ",
      "f:7: forgetting.budget: ", "f:8: forgetting.lambda: ", "f:9: forgetting.deadline: ",
      "f:10: http.listen: ",      "f:11: http: given twice",  "f:12: model: given twice"};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].starts_with(starts[i])) << lines[i];
  }
}

TEST(ConfigLoaderTest, ExactlyOneOfDimensionAndHashBits) {
  const std::string allowed =
      "; allowed: exactly one of model.dimension (x) and model.hash_bits (f)";
  const std::string missing =
      "model.dimension: model.dimension is required, or model.hash_bits for named features" +
      allowed;
  EXPECT_EQ(Complaint("# nothing\n\nhttp: {}\n"), "f:3: " + missing);
  EXPECT_EQ(Complaint("http: {}\nmodel:\n  bias: true\n"), "f:2: " + missing);
  EXPECT_EQ(Complaint("model: {dimension: null, hash_bits: null}\n"), "f:1: " + missing);
  EXPECT_EQ(Complaint("model:\n  dimension: 20\n  hash_bits: 18\n"),
            "f:3: model.hash_bits: model.dimension is given too" + allowed);
  EXPECT_EQ(Complaint("model: {hash_bits: 18, dimension: null}\n"), "no error");
  EXPECT_EQ(CheckText("model: {hash_bits: 18}\n").config->spec.model.hash_bits, 18);
}

TEST(ConfigLoaderTest, AWrongDimensionIsNotAMissingOne) {
  EXPECT_EQ(Complaint("model: {dimension: twenty}\n"),
            "f:1: model.dimension: \"twenty\" is not an integer; allowed: an integer from 1 to "
            "1000000");
}

TEST(ConfigLoaderTest, ABudgetStatesOnePromise) {
  const std::string allowed = "; allowed: exactly one of {epsilon, delta}, {mu} and {rho}";
  for (const char* budget : {"{epsilon: 1, mu: 1}", "{mu: 1, rho: 1}", "{delta: 0.1, rho: 1}",
                             "{epsilon: 1, delta: 0.1, mu: 1, rho: 1}"}) {
    EXPECT_EQ(Appended("forgetting:\n  budget: " + std::string(budget) + "\n"),
              "f:4: forgetting.budget: states more than one promise" + allowed);
  }
  EXPECT_EQ(Appended("forgetting:\n  budget:\n    delta: 0.1\n"),
            "f:5: forgetting.budget.delta: delta means nothing without epsilon" + allowed);
}

TEST(ConfigLoaderTest, ABudgetReplacesTheDefaultOne) {
  const auto budget = [](const std::string& text) {
    return CheckText(kMinimal + ("forgetting: {budget: " + text + "}\n"))
        .config.value()
        .spec.forgetting.budget;
  };
  for (const char* by_default : {"{}", "null", "{epsilon: null}", "{mu: null}"}) {
    EXPECT_EQ(budget(by_default).epsilon, 1.0);
    EXPECT_EQ(budget(by_default).delta, 1e-6);
  }
  EXPECT_EQ(budget("{epsilon: 2}").epsilon, 2.0);
  EXPECT_EQ(budget("{epsilon: 2}").delta, 1e-6);
  EXPECT_EQ(budget("{epsilon: 2, delta: null}").delta, 1e-6);
  EXPECT_EQ(budget("{epsilon: 2, delta: 0.001}").delta, 0.001);
  for (const char* other : {"{mu: 0.24}", "{rho: 0.03}", "{epsilon: null, rho: 0.03}"}) {
    EXPECT_EQ(budget(other).epsilon, std::nullopt) << other;
    EXPECT_EQ(budget(other).delta, std::nullopt) << other;
  }
  EXPECT_EQ(budget("{mu: 0.24}").mu, 0.24);
  EXPECT_EQ(budget("{mu: 0.24}").rho, std::nullopt);
  EXPECT_EQ(budget("{rho: 0.03}").rho, 0.03);
}

TEST(ConfigLoaderTest, AnUnknownModeGetsTheNearestName) {
  const LoadOptions options{{"rewind", "passive", "none"}, FakeEnvironment({})};
  const LoadReport report =
      CheckConfigText(kMinimal + std::string("forgetting: {mode: pasive}\n"), "f", options);
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_EQ(ToString(report.errors[0]),
            "f:3: forgetting.mode: \"pasive\" is not a mode of this build; allowed: one of "
            "rewind, passive, none; did you mean passive?");
  EXPECT_TRUE(CheckConfigText(kMinimal, "f", options).config.has_value());
}

TEST(ConfigLoaderTest, WithoutAListAnyModeIsTaken) {
  EXPECT_EQ(CheckText(kMinimal + std::string("forgetting: {mode: descent_to_delete}\n"))
                .config.value()
                .spec.forgetting.mode,
            "descent_to_delete");
}

TEST(ConfigLoaderTest, TheHorizonComputesItsStepItself) {
  EXPECT_EQ(Appended("learning:\n  schedule: horizon\n  eta: 0.1\n"),
            "f:5: learning.eta: schedule horizon computes its step from learning.horizon; allowed: "
            "auto, or schedule: constant");
  EXPECT_EQ(Appended("learning: {schedule: horizon, eta: auto}\n"), "no error");
  EXPECT_EQ(Appended("learning: {schedule: inverse_sqrt, eta: 0.1}\n"), "no error");
}

TEST(ConfigLoaderTest, AnUpdateRuleIsOneOfFour) {
  EXPECT_EQ(CheckText(kMinimal + std::string("learning: {update: ftrl}\n"))
                .config.value()
                .spec.learning.update,
            UpdateKind::kFtrl);
}

TEST(ConfigLoaderTest, TopicsDoNotFeedOneAnother) {
  EXPECT_EQ(Appended("publish: {receipts_topic: events}\n"),
            "f:3: publish.receipts_topic: \"events\" is the topic of source.kafka.topic too; "
            "allowed: a topic of its own");
  EXPECT_EQ(Appended("publish: {models_topic: a}\ndead_letter: {topic: a}\n"),
            "f:4: dead_letter.topic: \"a\" is the topic of publish.models_topic too; allowed: a "
            "topic of its own");
}

}  // namespace
}  // namespace lethe::config::loader_test
