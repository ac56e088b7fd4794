#include "app/config/print.h"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "app/config/field.h"
#include "app/config/kafka_fields.h"
#include "tests/support/config_text.h"

namespace lethe::config::print_test {
namespace {

// Every key away from its default, with texts that are awkward in YAML.
constexpr char kTemplate[] = R"(
model: {loss: softmax, classes: [cat, dog, "3"], weight_bound: 2.5, hash_bits: 18, bias: true, feature_norm: 2.5, oversized: rescale,
        label_bound: 3, huber_width: 0.1, lambda: 1.0e-12, radius: 1.0e9}
features: {text: ngrams, scale: "SCALE", cross: [["a b", "3"], [no, "x,y"]], clip: 2.5,
           normalise: l2, fourier: {dimension: 128, gamma: 0.5, seed: 9223372036854775807}}
learning: {update: adagrad, tuned_on: private, schedule: horizon, horizon: {events: 7, deletions: 8}}
forgetting: {mode: noisy, guarantee: per_request, guarantee_scope: shard, budget: {rho: 0.03},
             split: horizon,
             calibration: paper, batch_window: 5s, deadline: 100, target_sigma: 0.3333333333333333,
             active: {variant: ledger, tolerance: 1.0e-3, steps: 4, window: 1000},
             erm: {warmup: 5, refit_every: 6, steps: 7},
             variant: paper, removal: {solver: chord, perturbation: 0.5},
             noisy: {mu: 2.5, requests: adaptive}, online_dp: {deletions: 9, events: 10},
             fats: {client: index, clients: 3, draws: 4, local_steps: 6, batch: 7, round_every: 8}}
noise: {source: off, seed: 18446744073709551615}
source:
  kafka:
    brokers: "a:1,[::1]:2"
    topic: "123"
    partitions: {ordinal: 1, of: 3}
    partitioner: consistent_random
    properties: {client.id: "a$$b \"q\" \\ \n: # {", group.id: "null", check.crcs: true}
    security: {protocol: sasl_ssl, mechanism: SCRAM-SHA-512, username: "no", password_file: /p,
               ca: "~", certificate: "c d", key: "- k"}
  start: latest
publish: {receipts_topic: "null", envelopes: true, models_topic: "true", models_every: 1h}
dead_letter: {topic: "1.5", payload: true}
state: {path: "/a b/$${X}", commit_events: 1, commit_every: 1ms, snapshots: 0, snapshot_every: 2}
erasure: {max_lag: 24h, refuse_late_for: 0s}
regret: {sample: 5}
http: {listen: "0.0.0.0:0", token_file: "t: #1"}
)";

// The same with the path of a file that exists.
std::string Everything() {
  const std::string path = ::testing::TempDir() + "/lethe scale $$.json";
  const std::string written = ::testing::TempDir() + "/lethe scale $.json";
  std::ofstream(written) << R"({"public": true, "names": ["a"], "mean": [1], "deviation": [2]})";
  std::string text = kTemplate;
  return text.replace(text.find("SCALE"), 5, path);
}

TEST(ConfigPrintTest, WhatIsPrintedLoadsToTheSameConfig) {
  for (const std::string& text : {std::string(kMinimal), Everything()}) {
    const LoadReport first = CheckText(text);
    ASSERT_TRUE(first.config.has_value()) << Complaint(text);
    for (const std::string& printed :
         {PrintEffective(*first.config), PrintAnnotated(*first.config), PrintJson(*first.config)}) {
      const LoadReport second = CheckText(printed);
      ASSERT_TRUE(second.config.has_value()) << Complaint(printed) << "\n" << printed;
      EXPECT_EQ(PrintEffective(*second.config), PrintEffective(*first.config));
      EXPECT_EQ(CertificatePart(second.config->spec), CertificatePart(first.config->spec));
      EXPECT_EQ(second.config->source.kafka.properties, first.config->source.kafka.properties);
      EXPECT_EQ(second.config->state.path, first.config->state.path);
      EXPECT_EQ(second.config->spec.topic, first.config->spec.topic);
    }
  }
}

TEST(ConfigPrintTest, TheJsonIsJsonWithEveryKey) {
  for (const std::string& text : {std::string(kMinimal), Everything()}) {
    const std::string json = PrintJson(*CheckText(text).config);
    simdjson::dom::parser parser;
    const auto document = parser.parse(json);
    ASSERT_EQ(document.error(), simdjson::SUCCESS) << json;
    for (const Field& field : Fields()) {
      std::string pointer = "/" + field.path;
      std::replace(pointer.begin(), pointer.end(), '.', '/');
      EXPECT_EQ(document.at_pointer(pointer).error(), simdjson::SUCCESS) << pointer;
    }
  }
}

TEST(ConfigPrintTest, TheAwkwardConfigDiffersFromTheDefaultInEveryKey) {
  const LoadReport report = CheckText(Everything());
  ASSERT_TRUE(report.config.has_value());
  for (const Field& field : Fields()) {
    // Mode noisy takes no retention and no shrink; RetentionIsPrintedAsItWasGiven has them.
    const bool same_by_need = field.path == "model.dimension" || field.path == "learning.eta" ||
                              field.path == "forgetting.budget.mu" ||
                              field.path == "forgetting.retention" ||
                              field.path == "forgetting.shrink";
    EXPECT_EQ(field.print(*report.config) == field.Default(), same_by_need) << field.path;
  }
}

TEST(ConfigPrintTest, RetentionIsPrintedAsItWasGiven) {
  for (const std::string shrink : {"auto", "off", "2.5"}) {
    const LoadReport report =
        CheckText(std::string(kMinimal) + "forgetting: {mode: passive, shrink: " + shrink + "}\n");
    ASSERT_TRUE(report.config.has_value()) << shrink;
    EXPECT_NE(PrintAnnotated(*report.config).find("shrink: " + shrink + "\n"), std::string::npos);
  }
  for (const std::string retention : {"auto", "all", "4", "1000001", "2s", "36h", "30d"}) {
    const LoadReport report = CheckText(
        std::string(kMinimal) + "forgetting: {mode: rewind, retention: " + retention + "}\n");
    ASSERT_TRUE(report.config.has_value()) << retention;
    EXPECT_NE(PrintAnnotated(*report.config).find("retention: " + retention + "\n"),
              std::string::npos);
  }
}

TEST(ConfigPrintTest, SecretsAreMasked) {
  const LoadReport report =
      CheckText(std::string(kMinimal) +
                "source: {kafka: {properties: {ssl.key.password: hunter2, client.id: seen}}}\n");
  ASSERT_TRUE(report.config.has_value());
  for (const std::string& printed :
       {PrintEffective(*report.config), PrintAnnotated(*report.config)}) {
    EXPECT_EQ(printed.find("hunter2"), std::string::npos);
    EXPECT_NE(printed.find(R"({"client.id": "seen", "ssl.key.password": "********"})"),
              std::string::npos);
    EXPECT_TRUE(CheckText(printed).config.has_value());
  }
  EXPECT_EQ(report.config->source.kafka.properties.at("ssl.key.password"), "hunter2");
}

TEST(ConfigPrintTest, WhichPropertiesAreSecret) {
  for (const char* name :
       {"ssl.key.password", "ssl.keystore.password", "ssl.key.pem", "ssl.certificate.pem",
        "sasl.oauthbearer.client.secret", "sasl.oauthbearer.config", "sasl.jaas.config"}) {
    EXPECT_TRUE(IsSecretProperty(name)) << name;
  }
  for (const char* name : {"client.id", "group.id", "ssl.cipher.suites"}) {
    EXPECT_FALSE(IsSecretProperty(name)) << name;
  }
}

TEST(ConfigPrintTest, EveryKeyIsPrintedOnceWithItsGroups) {
  const std::string printed = PrintEffective(CheckText(kMinimal).config.value());
  EXPECT_EQ(
      printed.substr(0, 82),
      "model:\n  loss: logistic\n  classes: null\n  dimension: 20\n  hash_bits: null\n  bias: ");
  EXPECT_NE(
      printed.find("\nlearning:\n  update: auto\n  schedule: constant\n  eta: auto\n  horizon:\n"
                   "    events: 100000\n    deletions: 100\n  tuned_on: none\nforgetting:\n"),
      std::string::npos);
  std::size_t lines = 0;
  for (char c : printed) lines += c == '\n' ? 1 : 0;
  const std::size_t groups =
      // at the top; fourier, horizon, budget, active, erm, removal, noisy, online_dp, fats, kafka,
      // security
      12 + 11;
  EXPECT_EQ(lines, Fields().size() + groups);
}

}  // namespace
}  // namespace lethe::config::print_test
