#include "app/config/substitute.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "app/config/print.h"
#include "tests/support/config_text.h"

namespace lethe::config::substitute_test {
namespace {

std::string With(const std::string& text, std::map<std::string, std::string> variables) {
  const Result<std::string> result = Substitute(text, FakeEnvironment(std::move(variables)));
  return result.ok() ? result.value() : "error: " + result.status().message();
}

TEST(SubstituteTest, AnUnsetVariableIsAnErrorWithKeyAndLine) {
  EXPECT_EQ(Complaint(std::string(kMinimal) + "state:\n  path: /data/${WHERE}/x\n"),
            "f:4: state.path: the environment variable WHERE is not set; set it, or write "
            "${WHERE:-default}");
}

TEST(SubstituteTest, MalformedVariablesAreErrors) {
  EXPECT_EQ(With("$HOME", {}),
            "error: a single '$' begins a variable; write $$ for the character "
            "itself");
  EXPECT_EQ(With("a$", {}).substr(0, 7), "error: ");
  EXPECT_EQ(With("${HOME", {{"HOME", "x"}}).substr(0, 7), "error: ");
  EXPECT_EQ(With("${}", {}), "error: ${} is not a variable: write ${NAME} or ${NAME:-default}");
  EXPECT_EQ(With("${1A}", {{"1A", "x"}}).substr(0, 7), "error: ");
  EXPECT_EQ(With("${A B}", {}).substr(0, 7), "error: ");
  EXPECT_EQ(With("${A-x}", {}).substr(0, 7), "error: ");
  EXPECT_EQ(With("${A:-${B}}", {{"B", "x"}}),
            "error: the default of ${A} contains a variable: they do not nest");
}

TEST(SubstituteTest, AVariableThatIsNotTextIsAnError) {
  EXPECT_EQ(With("${A}", {{"A", "\xff"}}), "error: the environment variable A is not UTF-8 text");
}

TEST(SubstituteTest, VariablesDefaultsAndDollars) {
  EXPECT_EQ(With("", {}), "");
  EXPECT_EQ(With("a ${A} b ${B_1}", {{"A", "x"}, {"B_1", "y"}}), "a x b y");
  EXPECT_EQ(With("${A:-z}", {}), "z");
  EXPECT_EQ(With("${A:-z}", {{"A", ""}}), "z");
  EXPECT_EQ(With("${A:-z}", {{"A", "x"}}), "x");
  EXPECT_EQ(With("${A:-}", {}), "");
  EXPECT_EQ(With("${A}", {{"A", ""}}), "");
  EXPECT_EQ(With("$$", {}), "$");
  EXPECT_EQ(With("$${A}", {{"A", "x"}}), "${A}");
  EXPECT_EQ(With("$$$$", {}), "$$");
}

TEST(SubstituteTest, WhatAVariableHoldsIsNotReadAgain) {
  EXPECT_EQ(With("${A}", {{"A", "${B}$$"}, {"B", "x"}}), "${B}$$");
}

TEST(SubstituteTest, EscapedDollarsComeBack) {
  for (const char* text : {"", "$", "$$", "${A}", "a$b"}) {
    EXPECT_EQ(With(EscapeDollars(text), {}), text);
  }
}

TEST(SubstituteTest, CommentsAndKeysAreLeftAlone) {
  EXPECT_EQ(Complaint(std::string(kMinimal) + "# ${UNSET} $x\nstate: {}  # ${UNSET}\n"),
            "no error");
  EXPECT_EQ(Complaint(std::string(kMinimal) + "source: {kafka: {properties: {\"${A}\": 1}}}\n"),
            "no error");
}

TEST(SubstituteTest, NumbersDurationsAndWordsMayComeFromVariables) {
  const LoadReport report = CheckText(
      "model: {dimension: \"${DIMENSION}\", lambda: \"${LAMBDA:-0.5}\", loss: \"${LOSS}\"}\n"
      "publish: {models_every: \"${EVERY}s\"}\n",
      {{"DIMENSION", "7"}, {"LOSS", "huber"}, {"EVERY", "3"}});
  ASSERT_TRUE(report.config.has_value());
  EXPECT_EQ(report.config->spec.model.dimension, 7);
  EXPECT_EQ(report.config->spec.model.lambda, 0.5);
  EXPECT_EQ(report.config->spec.model.loss, LossKind::kHuber);
  EXPECT_EQ(report.config->publish.models_every_ms, 3000);
}

TEST(SubstituteTest, AWrongValueIsShownWithItsVariable) {
  EXPECT_EQ(Complaint("model:\n  dimension: ${D}\n", {{"D", "many"}}),
            "f:2: model.dimension: \"many\" (from \"${D}\") is not an integer; allowed: an integer "
            "from 1 to 1000000");
}

TEST(SubstituteTest, ANewlineInAVariableInjectsNothing) {
  const std::string evil = "x\nnoise:\n  source: disabled\n# \"}";
  const LoadReport report =
      CheckText(std::string(kMinimal) + "state: {path: \"${EVIL}\"}\n", {{"EVIL", evil}});
  ASSERT_TRUE(report.config.has_value());
  EXPECT_EQ(report.config->state.path, evil);
  EXPECT_EQ(report.config->spec.noise.source, NoiseKind::kSystem);
  const LoadReport again = CheckText(PrintEffective(*report.config));
  ASSERT_TRUE(again.config.has_value());
  EXPECT_EQ(again.config->state.path, evil);
}

TEST(SubstituteTest, AVariableIsNeverNull) {
  EXPECT_EQ(CheckText(std::string(kMinimal) + "dead_letter: {topic: \"${T}\"}\n", {{"T", "null"}})
                .config->dead_letter.topic,
            "null");
  EXPECT_EQ(Complaint(std::string(kMinimal) + "http: {token_file: \"${T}\"}\n", {{"T", ""}}),
            "f:3: http.token_file: \"\" (from \"${T}\") is empty; allowed: the path of a file");
}

TEST(SubstituteTest, TheProcessEnvironmentIsTheDefault) {
  ASSERT_EQ(setenv("LETHE_CONFIG_TEST", "9", 1), 0);
  const LoadReport report = CheckConfigText("model: {dimension: \"${LETHE_CONFIG_TEST}\"}", "f");
  ASSERT_TRUE(report.config.has_value());
  EXPECT_EQ(report.config->spec.model.dimension, 9);
  ASSERT_EQ(unsetenv("LETHE_CONFIG_TEST"), 0);
  EXPECT_EQ(ProcessEnvironment()("LETHE_CONFIG_TEST"), std::nullopt);
}

}  // namespace
}  // namespace lethe::config::substitute_test
