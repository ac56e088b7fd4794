// The files that are shipped agree with the table of keys. After a change of the table, run this
// test with LETHE_UPDATE_FILES=1 to write them anew.
#include <test_paths.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "app/config/field.h"
#include "app/config/print.h"
#include "app/config/schema.h"
#include "tests/support/config_text.h"

namespace lethe::config::files_test {
namespace {

const std::filesystem::path kRoot = LETHE_SOURCE_DIR;

constexpr char kModeline[] = "# yaml-language-server: $schema=lethe.schema.json\n";

constexpr char kFullHeader[] =
    "# Every key with its default value; dimension alone has none. Generated: see\n"
    "# tests/unit/app/config/files_test.cc. The same as a table: docs/configuration.md\n";

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void ExpectFile(const std::filesystem::path& path, const std::string& text) {
  if (std::getenv("LETHE_UPDATE_FILES") != nullptr) std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(ReadFile(path), text) << path << " is out of date";
}

// `text` with what stands between the marks <!-- begin NAME --> and <!-- end NAME --> replaced.
std::string WithSection(std::string text, const std::string& name, const std::string& section) {
  const std::string begin = "<!-- begin " + name + " -->\n";
  const std::size_t from = text.find(begin);
  const std::size_t to = text.find("<!-- end " + name + " -->");
  EXPECT_NE(from, std::string::npos) << name;
  EXPECT_NE(to, std::string::npos) << name;
  if (from == std::string::npos || to == std::string::npos) return text;
  return text.replace(from + begin.size(), to - from - begin.size(), section);
}

// The paths of all keys below a JSON Schema object.
void CollectKeys(const YAML::Node& schema, const std::string& path, std::set<std::string>& keys) {
  EXPECT_EQ(schema["additionalProperties"].as<std::string>(), "false") << path;
  for (const auto& entry : schema["properties"]) {
    const std::string child = JoinPath(path, entry.first.as<std::string>());
    if (entry.second["properties"]) {
      CollectKeys(entry.second, child, keys);
    } else {
      EXPECT_TRUE(keys.insert(child).second) << child;
      EXPECT_TRUE(entry.second["default"].IsDefined()) << child;
      EXPECT_TRUE(entry.second["description"].IsDefined()) << child;
    }
  }
}

std::set<std::string> TableKeys() {
  std::set<std::string> keys;
  for (const Field& field : Fields()) EXPECT_TRUE(keys.insert(field.path).second) << field.path;
  return keys;
}

TEST(ConfigFilesTest, TheSchemaListsExactlyTheKeysOfTheTable) {
  std::set<std::string> keys;
  CollectKeys(YAML::Load(SchemaJson()), "", keys);
  EXPECT_EQ(keys, TableKeys());
}

TEST(ConfigFilesTest, TheParserTakesEveryKeyOfTheSchemaAndNoOther) {
  std::set<std::string> keys;
  CollectKeys(YAML::Load(SchemaJson()), "", keys);
  for (const std::string& key : keys) {
    const LoadReport known = CheckText(FileWith(key, "\"?\"").text);
    for (const ConfigError& error : known.errors) EXPECT_NE(error.problem, "unknown key") << key;
    const LoadReport unknown = CheckText(FileWith(key + "_", "1").text);
    ASSERT_FALSE(unknown.errors.empty()) << key;
    EXPECT_EQ(unknown.errors[0].path, key + "_");
    EXPECT_EQ(unknown.errors[0].problem, "unknown key");
    EXPECT_EQ(unknown.errors[0].nearest, key);
  }
}

TEST(ConfigFilesTest, TheShippedSchemaIsTheOneInUse) {
  ExpectFile(kRoot / "configs/lethe.schema.json", SchemaJson());
}

TEST(ConfigFilesTest, TheFullConfigHasEveryKeyWithItsDefault) {
  Config config;
  config.spec.model.dimension = 20;
  ExpectFile(kRoot / "configs/full.yaml",
             kModeline + std::string(kFullHeader) + PrintAnnotated(config));
  const LoadReport full = CheckConfigFile(kRoot / "configs/full.yaml");
  ASSERT_TRUE(full.config.has_value()) << ToStatus(full.errors).message();
  EXPECT_EQ(PrintEffective(*full.config), PrintEffective(config));
}

TEST(ConfigFilesTest, EveryShippedConfigLoadsAndNamesTheSchema) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "configs")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    const LoadReport report = CheckConfigFile(entry.path());
    EXPECT_TRUE(report.config.has_value()) << ToStatus(report.errors).message();
    EXPECT_TRUE(ReadFile(entry.path()).starts_with(kModeline)) << entry.path();
  }
  EXPECT_GE(count, 2);
}

TEST(ConfigFilesTest, TheManualListsEveryKeyAndEveryRefusedProperty) {
  const std::filesystem::path path = kRoot / "docs/configuration.md";
  const std::string text = WithSection(ReadFile(path), "keys", KeysMarkdown());
  ExpectFile(path, WithSection(text, "properties", OwnedPropertiesMarkdown()));
  for (const std::string& key : TableKeys()) {
    EXPECT_NE(ReadFile(path).find("| `" + key + "` |"), std::string::npos) << key;
  }
}

// The contract with users, as first published. A default that changes here changes certificates.
TEST(ConfigFilesTest, TheDefaultsAreFrozen) {
  const LoadReport contract = CheckText(R"(
model:
  loss: logistic
  dimension: 20
  bias: false
  feature_norm: 1.0
  oversized: reject
  label_bound: 1.0
  huber_width: 1.0
  lambda: auto
  radius: 12
learning:
  schedule: constant
  eta: auto
  horizon: {events: 100000, deletions: 100}
forgetting:
  mode: rewind
  retention: auto
  guarantee: joint
  budget: {epsilon: 1, delta: 1.0e-6}
  split: curve
  calibration: ledger
  batch_window: 0
  deadline: 0
  target_sigma: 0
  active: {variant: second_order, tolerance: 1.0e-10, steps: auto, window: all}
  erm: {warmup: 1000, refit_every: 1000, steps: 100}
  variant: sound
  removal: {solver: newton, perturbation: 1}
  noisy: {mu: null, requests: oblivious}
  online_dp: {deletions: 1, events: null}
  fats: {client: subject, clients: 20, draws: 2, local_steps: 5, batch: 10, round_every: 1000}
noise:
  source: system
  seed: 1
source:
  kafka: {brokers: "localhost:9092", topic: events, partitions: all, partitioner: murmur2,
          properties: {}, security: {}}
  start: earliest
publish: {receipts_topic: null, models_topic: null, models_every: 10s}
dead_letter: {topic: null, payload: false}
state: {path: ./lethe-state, commit_events: 4096, commit_every: 100ms, snapshots: 3,
        snapshot_every: 1000000}
erasure: {max_lag: 60s, refuse_late_for: 8d}
regret: {sample: 0}
http: {listen: "127.0.0.1:9464", token_file: null}
)");
  ASSERT_TRUE(contract.config.has_value()) << ToStatus(contract.errors).message();
  EXPECT_EQ(PrintEffective(*contract.config), PrintEffective(CheckText(kMinimal).config.value()));
}

}  // namespace
}  // namespace lethe::config::files_test
