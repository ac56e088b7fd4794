// Every key: what it refuses, with line and path, and what it takes.
#include <gtest/gtest.h>

#include "app/config/field.h"
#include "app/config/print.h"
#include "http/server.h"
#include "tests/support/config_text.h"

namespace lethe::config::values_test {
namespace {

struct Case {
  std::string path;
  std::string value;
  std::string problem;  // a part of it
};

void ExpectOneError(const Case& wrong) {
  const FileAndLine file = FileWith(wrong.path, wrong.value);
  const LoadReport report = CheckText(file.text);
  ASSERT_EQ(report.errors.size(), 1u) << file.text << Complaint(file.text);
  const ConfigError& error = report.errors[0];
  EXPECT_EQ(error.file, "f");
  EXPECT_EQ(error.line, file.line) << file.text << ToString(error);
  EXPECT_EQ(error.path, wrong.path) << ToString(error);
  EXPECT_NE(error.problem.find(wrong.problem), std::string::npos) << ToString(error);
  EXPECT_FALSE(error.allowed.empty()) << ToString(error);
  EXPECT_FALSE(report.config.has_value());
}

TEST(ConfigValuesTest, EveryFieldRefusesAListAndNamesItself) {
  for (const Field& field : Fields()) {
    if (field.path == "source.kafka.partitions" || field.path == "source.kafka.properties" ||
        field.path == "model.classes" || field.path == "features.cross")
      continue;
    ExpectOneError({field.path, "[1]", "a list cannot stand here"});
    ExpectOneError({field.path, "{a: 1}", "a mapping cannot stand here"});
  }
}

TEST(ConfigValuesTest, NullIsForKeysThatMayBeUnset) {
  for (const Field& field : Fields()) {
    if (field.path == "source.kafka.properties" || field.nullable) continue;
    ExpectOneError({field.path, "null", "has no value"});
    ExpectOneError({field.path, "", "has no value"});
  }
}

TEST(ConfigValuesTest, NumbersOutOfRangeAreRefused) {
  const Case cases[] = {
      {"model.feature_norm", "0", "out of range"},
      {"model.feature_norm", "1000001", "out of range"},
      {"model.label_bound", "-1", "out of range"},
      {"model.label_bound", "0", "out of range"},
      {"model.huber_width", "0", "out of range"},
      {"model.lambda", "0", "nothing fades and no certificate is possible"},
      {"model.lambda", "-0.0", "nothing fades"},
      {"model.lambda", "-1", "nothing fades"},
      {"model.lambda", "1.0e-13", "nothing fades"},
      {"model.lambda", "1000001", "\"1000001\" is out of range"},
      {"model.radius", "0", "out of range"},
      {"model.radius", "1.1e9", "out of range"},
      {"learning.eta", "0", "out of range"},
      {"learning.eta", "-1", "out of range"},
      {"forgetting.budget.epsilon", "0", "infinite noise"},
      {"forgetting.budget.epsilon", "-1", "out of range"},
      {"forgetting.budget.mu", "0", "infinite noise"},
      {"forgetting.budget.rho", "0", "infinite noise"},
      {"forgetting.target_sigma", "-0.1", "out of range"},
      {"forgetting.active.tolerance", "0", "out of range"},
  };
  for (const Case& wrong : cases) ExpectOneError(wrong);
}

TEST(ConfigValuesTest, DeltaIsBetweenZeroAndOne) {
  const std::string begin = std::string(kMinimal) + "forgetting:\n  budget:\n    epsilon: 1\n";
  const std::string allowed = "; allowed: a number above 0 and below 1";
  EXPECT_EQ(Complaint(begin + "    delta: 1\n"),
            "f:6: forgetting.budget.delta: \"1\" is out of range" + allowed);
  EXPECT_EQ(Complaint(begin + "    delta: 0\n"),
            "f:6: forgetting.budget.delta: \"0\" is out of range: a budget of 0 would need "
            "infinite noise" +
                allowed);
  EXPECT_EQ(Complaint(begin + "    delta: 0.5\n"), "no error");
}

TEST(ConfigValuesTest, NumbersMustBeFiniteNormalNumbers) {
  for (const char* path :
       {"model.lambda", "forgetting.budget.epsilon", "forgetting.target_sigma"}) {
    ExpectOneError({path, ".nan", "is not a number"});
    ExpectOneError({path, "nan", "is not a finite number"});
    ExpectOneError({path, "-.inf", "is not a number"});
    ExpectOneError({path, "inf", "is not a finite number"});
    ExpectOneError({path, "1e400", "too large or too close to 0"});
    ExpectOneError({path, "1e-310", "too large or too close to 0"});
    ExpectOneError({path, "0.1abc", "is not a number"});
    ExpectOneError({path, "\"\"", "is not a number"});
    ExpectOneError({path, "true", "is not a number"});
  }
}

TEST(ConfigValuesTest, IntegersMustBeIntegersInRange) {
  const Case cases[] = {
      {"model.dimension", "0", "out of range"},
      {"model.dimension", "1000001", "out of range"},
      {"model.dimension", "20.0", "is not an integer"},
      {"model.dimension", "1e3", "is not an integer"},
      {"model.dimension", "0x14", "is not an integer"},
      {"model.hash_bits", "0", "out of range"},
      {"model.hash_bits", "25", "out of range"},
      {"learning.horizon.events", "0", "out of range"},
      {"learning.horizon.deletions", "0", "out of range"},
      {"forgetting.retention", "1", "out of range"},
      {"forgetting.retention", "3", "a window is half of it"},
      {"forgetting.retention", "-5", "out of range"},
      {"forgetting.retention", "1ms", "out of range"},
      {"forgetting.retention", "1999ms", "clocks of two machines"},
      {"forgetting.retention", "a month", "nor a duration"},
      {"forgetting.active.steps", "0", "out of range"},
      {"forgetting.active.window", "0", "out of range"},
      {"forgetting.erm.warmup", "1", "out of range"},
      {"forgetting.erm.refit_every", "0", "out of range"},
      {"forgetting.erm.steps", "0", "out of range"},
      {"forgetting.online_dp.deletions", "0", "out of range"},
      {"forgetting.online_dp.events", "0", "out of range"},
      {"forgetting.fats.clients", "0", "out of range"},
      {"forgetting.fats.draws", "0", "out of range"},
      {"forgetting.fats.local_steps", "0", "out of range"},
      {"forgetting.fats.batch", "0", "out of range"},
      {"forgetting.fats.round_every", "0", "out of range"},
      {"forgetting.active.window", "some", "is not an integer"},
      {"noise.seed", "-1", "out of range"},
      {"noise.seed", "18446744073709551616", "out of range"},
      {"state.commit_events", "0", "out of range"},
      {"state.snapshots", "-1", "out of range"},
      {"state.snapshot_every", "0", "out of range"},
      {"regret.sample", "-1", "out of range"},
      {"regret.sample", "0.5", "is not an integer"},
  };
  for (const Case& wrong : cases) ExpectOneError(wrong);
}

TEST(ConfigValuesTest, BooleansAreTrueOrFalseOnly) {
  for (const char* value : {"yes", "no", "on", "off", "1", "0", "True", "FALSE", "y"}) {
    ExpectOneError({"model.bias", value, "is neither true nor false"});
    ExpectOneError({"dead_letter.payload", value, "is neither true nor false"});
  }
}

TEST(ConfigValuesTest, UnknownWordsGetTheNearestOne) {
  ExpectOneError({"model.loss", "hinge", "is unknown"});
  EXPECT_EQ(Complaint("model:\n  dimension: 20\n  loss: logstic\n"),
            "f:3: model.loss: \"logstic\" is unknown; allowed: one of logistic, squared, huber, "
            "softmax; did you mean logistic?");
  EXPECT_EQ(CheckText(std::string(kMinimal) + "learning: {eta: Auto}\n").errors.at(0).nearest,
            "auto");
  for (const char* path :
       {"model.oversized", "learning.schedule", "forgetting.guarantee", "forgetting.split",
        "forgetting.calibration", "forgetting.active.variant", "noise.source", "source.start",
        "source.kafka.partitioner"}) {
    ExpectOneError({path, "banana", "is unknown"});
  }
}

TEST(ConfigValuesTest, AClientOfFatsIsNotAPartition) {
  EXPECT_EQ(Complaint(std::string(kMinimal) + "forgetting: {fats: {client: partition}}\n"),
            "f:3: forgetting.fats.client: \"partition\" is not possible: every partition is a run "
            "of its own, so it would be the only client of it; allowed: one of subject, index");
}

TEST(ConfigValuesTest, DurationsAreRefusedWithoutUnitAndTooShort) {
  ExpectOneError({"publish.models_every", "10", "a duration without a unit"});
  ExpectOneError({"publish.models_every", "0s", "out of range"});
  ExpectOneError({"state.commit_every", "0ms", "out of range"});
  ExpectOneError({"state.commit_every", "fast", "is not a duration"});
  ExpectOneError({"erasure.max_lag", "0s", "out of range"});
  ExpectOneError({"erasure.refuse_late_for", "-8d", "is not a duration"});
  ExpectOneError({"erasure.refuse_late_for", "1000000d", "longer than 100 years"});
}

TEST(ConfigValuesTest, WaitsAreEventsOrTime) {
  for (const char* path : {"forgetting.batch_window", "forgetting.deadline"}) {
    ExpectOneError({path, "-1", "out of range"});
    ExpectOneError({path, "1.5", "neither a number of events nor a duration"});
    ExpectOneError({path, "5 s", "neither a number of events nor a duration"});
    ExpectOneError({path, "soon", "neither a number of events nor a duration"});
  }
  const LoadReport report =
      CheckText(std::string(kMinimal) + "forgetting: {batch_window: 100, deadline: \"24h\"}\n");
  ASSERT_TRUE(report.config.has_value());
  const ForgettingSpec& forgetting = report.config->spec.forgetting;
  EXPECT_EQ(forgetting.batch_window.events, 100);
  EXPECT_EQ(forgetting.batch_window.event_time_ms, 0);
  EXPECT_EQ(forgetting.deadline.events, 0);
  EXPECT_EQ(forgetting.deadline.event_time_ms, 24LL * 3600 * 1000);
}

TEST(ConfigValuesTest, TextsThatCannotBeNamesAreRefused) {
  const Case cases[] = {
      {"state.path", "\"\"", "is empty"},
      {"state.path", "\"a\\0b\"", "NUL"},
      {"source.kafka.topic", "a b", "is not a topic name"},
      {"source.kafka.topic", "..", "is not a topic name"},
      {"source.kafka.topic", std::string(250, 'a'), "is not a topic name"},
      {"publish.receipts_topic", "a/b", "is not a topic name"},
      {"publish.models_topic", "\"\"", "is not a topic name"},
      {"dead_letter.topic", "ä", "is not a topic name"},
      {"forgetting.mode", "\"\"", "is not a name"},
      {"http.token_file", "\"\"", "is empty"},
      {"http.listen", "9464", "has no port"},
      {"http.listen", "\":9464\"", "has no valid host"},
      {"http.listen", "\"127.0.0.1:\"", "has no valid port"},
      {"http.listen", "127.0.0.1:65536", "has no valid port"},
      {"http.listen", "127.0.0.1:-1", "has no valid port"},
      {"http.listen", "127.0.0.1:http", "has no valid port"},
      {"http.listen", "http://127.0.0.1:80", "has no valid host"},
      {"http.listen", "\"::1:9464\"", "has no valid host"},
      {"source.kafka.brokers", "\"\"", "has no port"},
      {"source.kafka.brokers", "\"a:1,,b:2\"", "has no port"},
      {"source.kafka.brokers", "\"a:1,b:0\"", "has no valid port"},
      {"source.kafka.brokers", "\"a:1, b:2\"", "has no valid host"},
  };
  for (const Case& wrong : cases) ExpectOneError(wrong);
}

TEST(ConfigValuesTest, AddressesAreTaken) {
  for (const char* address : {"0.0.0.0:80", "localhost:0", "lethe-0.svc:65535"}) {
    EXPECT_EQ(Complaint(FileWith("http.listen", Quote(address)).text), "no error") << address;
  }
  for (const char* brokers : {"a", "a:9092,b_1:9093", "[::1]:9092", "10.0.0.1:9092,b"}) {
    EXPECT_EQ(Complaint(FileWith("source.kafka.brokers", Quote(brokers)).text), "no error");
  }
}

TEST(ConfigValuesTest, AnIpv6AddressIsTakenWhereItCanBeListenedOn) {
  const std::string complaint = Complaint(FileWith("http.listen", "\"[::1]:9464\"").text);
  if (HttpServer::TakesIpv6()) {
    EXPECT_EQ(complaint, "no error");
  } else {
    EXPECT_NE(complaint.find("is an IPv6 address"), std::string::npos) << complaint;
  }
}

TEST(ConfigValuesTest, OffMeansDisabledNoise) {
  for (const char* value : {"off", "\"off\"", "disabled"}) {
    const LoadReport report = CheckText(FileWith("noise.source", value).text);
    ASSERT_TRUE(report.config.has_value()) << value;
    EXPECT_EQ(report.config->spec.noise.source, NoiseKind::kDisabled);
  }
  ExpectOneError({"noise.source", "false", "is unknown"});
}

TEST(ConfigValuesTest, AutoAndAllLeaveTheChoiceToTheEngine) {
  const LoadReport report =
      CheckText(std::string(kMinimal) +
                "learning: {eta: auto}\nforgetting: {active: {steps: auto, window: all}}\n");
  ASSERT_TRUE(report.config.has_value());
  EXPECT_EQ(report.config->spec.learning.eta, std::nullopt);
  EXPECT_EQ(report.config->spec.forgetting.active.steps, std::nullopt);
  EXPECT_EQ(report.config->spec.forgetting.active.window, std::nullopt);
}

// Reading a value must not touch any other key: every key is set alone and compared with the rest.
TEST(ConfigValuesTest, EachKeyChangesItselfOnly) {
  const std::pair<const char*, const char*> values[] = {
      {"model.loss", "huber"},
      {"model.bias", "true"},
      {"model.feature_norm", "2.5"},
      {"model.oversized", "rescale"},
      {"model.label_bound", "3"},
      {"model.huber_width", "0.5"},
      {"model.lambda", "0.25"},
      {"model.radius", "7"},
      {"learning.schedule", "adaptive"},
      {"learning.eta", "0.125"},
      {"learning.horizon.events", "5"},
      {"learning.horizon.deletions", "6"},
      {"forgetting.mode", "retrain"},
      {"forgetting.guarantee", "per_request"},
      {"forgetting.budget.epsilon", "2"},
      {"forgetting.split", "zeta"},
      {"forgetting.calibration", "paper"},
      {"forgetting.batch_window", "9"},
      {"forgetting.deadline", "5m"},
      {"forgetting.target_sigma", "0.5"},
      {"forgetting.active.variant", "paper"},
      {"forgetting.active.tolerance", "0.5"},
      {"forgetting.active.steps", "3"},
      {"forgetting.active.window", "4"},
      {"forgetting.erm.warmup", "50"},
      {"forgetting.erm.refit_every", "60"},
      {"forgetting.erm.steps", "70"},
      {"forgetting.variant", "paper"},
      {"forgetting.removal.solver", "chord"},
      {"forgetting.removal.perturbation", "0.5"},
      {"forgetting.noisy.mu", "2.5"},
      {"forgetting.noisy.requests", "adaptive"},
      {"forgetting.online_dp.deletions", "9"},
      {"forgetting.online_dp.events", "10"},
      {"forgetting.fats.client", "index"},
      {"forgetting.fats.clients", "3"},
      {"forgetting.fats.draws", "3"},
      {"forgetting.fats.local_steps", "3"},
      {"forgetting.fats.batch", "3"},
      {"forgetting.fats.round_every", "3"},
      {"noise.source", "seeded"},
      {"noise.seed", "77"},
      {"source.kafka.brokers", "elsewhere"},
      {"source.kafka.topic", "other"},
      {"source.kafka.partitions", "[1, 2]"},
      {"source.kafka.partitioner", "fnv1a"},
      {"source.kafka.properties", "{\"client.id\": \"x\"}"},
      {"source.kafka.security.protocol", "ssl"},
      {"source.start", "latest"},
      {"publish.receipts_topic", "r"},
      {"publish.models_topic", "m"},
      {"publish.models_every", "3s"},
      {"dead_letter.topic", "d"},
      {"dead_letter.payload", "true"},
      {"state.path", "./elsewhere"},
      {"state.commit_events", "8"},
      {"state.commit_every", "9ms"},
      {"state.snapshots", "0"},
      {"state.snapshot_every", "10"},
      {"erasure.max_lag", "11s"},
      {"erasure.refuse_late_for", "9d"},
      {"regret.sample", "12"},
      {"http.listen", "\"localhost:1\""},
      {"http.token_file", "token"}};
  const LoadReport unchanged = CheckText(kMinimal);
  ASSERT_TRUE(unchanged.config.has_value());
  for (const auto& [path, value] : values) {
    const LoadReport report = CheckText(FileWith(path, value).text);
    ASSERT_TRUE(report.config.has_value()) << path << ": " << Complaint(FileWith(path, value).text);
    for (const Field& field : Fields()) {
      const std::string expected = field.path == path ? value : field.print(*unchanged.config);
      EXPECT_EQ(field.print(*report.config), expected) << field.path << " after setting " << path;
    }
  }
}

}  // namespace
}  // namespace lethe::config::values_test
