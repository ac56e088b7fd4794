#include <gtest/gtest.h>

#include "app/config/kafka_fields.h"
#include "tests/support/config_text.h"

namespace lethe::config::kafka_test {
namespace {

// Line 5 is where `text` stands.
std::string Kafka(const std::string& text) {
  return std::string(kMinimal) + "source:\n  kafka:\n    " + text + "\n";
}

TEST(ConfigKafkaTest, PartitionsThatMakeNoSenseAreRefused) {
  const std::string at = "f:5: source.kafka.partitions";
  const std::pair<const char*, std::string> cases[] = {
      {"some", at + ": \"some\" is unknown"},
      {"3", at + ": \"3\" is unknown"},
      {"[]", at + ": an empty list leaves nothing to do"},
      {"[1, 1]", at + ": a partition is listed twice"},
      {"[0, -1]", at + "[1]: \"-1\" is out of range"},
      {"[0, a]", at + "[1]: \"a\" is not an integer"},
      {"[[0]]", at + "[0]: a list cannot stand here"},
      {"{ordinal: 1}", at + ": needs both ordinal and of"},
      {"{}", at + ": needs both ordinal and of"},
      {"{ordinal: 3, of: 3}", at + ": ordinal 3 is not below of 3"},
      {"{ordinal: 0, of: 0}", at + ".of: \"0\" is out of range"},
      {"{ordinal: x, of: 2}", at + ".ordinal: \"x\" is not an integer"},
      {"{ordinal: 0, off: 2}", at + ".off: unknown key"},
  };
  for (const auto& [value, expected] : cases) {
    const std::string complaint = Complaint(Kafka("partitions: " + std::string(value)));
    EXPECT_EQ(complaint.substr(0, expected.size()), expected);
    EXPECT_EQ(complaint.find('\n'), std::string::npos) << complaint;
  }
}

TEST(ConfigKafkaTest, PartitionsOfAllThreeForms) {
  const auto partitions = [](const std::string& value) {
    return CheckText(Kafka("partitions: " + value), {{"ORDINAL", "2"}})
        .config.value()
        .source.kafka.partitions;
  };
  EXPECT_TRUE(partitions("all").Contains(0));
  EXPECT_TRUE(partitions("all").Contains(17));
  EXPECT_EQ(partitions("[7, 0]").list, (std::vector<std::int32_t>{0, 7}));
  EXPECT_TRUE(partitions("[7, 0]").Contains(7));
  EXPECT_FALSE(partitions("[7, 0]").Contains(1));
  const Partitions third = partitions("{ordinal: \"${ORDINAL}\", of: 3}");
  EXPECT_TRUE(third.Contains(2));
  EXPECT_TRUE(third.Contains(5));
  EXPECT_FALSE(third.Contains(3));
}

TEST(ConfigKafkaTest, OwnedPropertiesAreRefusedWithTheReason) {
  EXPECT_EQ(Complaint(Kafka("properties: {enable.auto.commit: true}")),
            "f:5: source.kafka.properties.enable.auto.commit: is set by Lethe: offsets are stored "
            "in the same commit as the model, so that no event is learned twice");
  for (const char* name :
       {"enable.auto.commit", "enable.auto.offset.store", "auto.offset.reset", "isolation.level",
        "enable.idempotence", "statistics.interval.ms", "bootstrap.servers", "sasl.password",
        "partition.assignment.strategy", "partitioner"}) {
    const std::string complaint = Complaint(Kafka("properties: {" + std::string(name) + ": x}"));
    EXPECT_NE(complaint.find(std::string(name) + ": is set by Lethe: "), std::string::npos)
        << complaint;
  }
  for (const OwnedProperty& owned : OwnedProperties()) EXPECT_FALSE(owned.reason.empty());
}

TEST(ConfigKafkaTest, PropertiesAreScalars) {
  EXPECT_EQ(Complaint(Kafka("properties: [a]")).substr(0, 46),
            "f:5: source.kafka.properties: is not a mapping");
  EXPECT_EQ(Complaint(Kafka("properties: null")).substr(0, 46),
            "f:5: source.kafka.properties: is not a mapping");
  EXPECT_EQ(Complaint(Kafka("properties: {a: [1]}")).substr(0, 56),
            "f:5: source.kafka.properties.a: a list cannot stand here");
  EXPECT_EQ(Complaint(Kafka("properties: {a: null}")).substr(0, 43),
            "f:5: source.kafka.properties.a: has no valu");
  EXPECT_EQ(Complaint(Kafka("properties: {\"\": x}")).find("needs a name") == std::string::npos,
            false);
}

TEST(ConfigKafkaTest, PropertiesArePassedOn) {
  const LoadReport report = CheckText(
      Kafka(
          "properties: {group.id: lethe-a, fetch.wait.max.ms: 100, check.crcs: true, x: \"${X}\"}"),
      {{"X", "y"}});
  ASSERT_TRUE(report.config.has_value());
  EXPECT_EQ(report.config->source.kafka.properties,
            (std::map<std::string, std::string>{{"group.id", "lethe-a"},
                                                {"fetch.wait.max.ms", "100"},
                                                {"check.crcs", "true"},
                                                {"x", "y"}}));
}

TEST(ConfigKafkaTest, ErrorsNeverShowAPropertyValue) {
  EXPECT_EQ(Complaint(Kafka("properties: {sasl.password: hunter2}")).find("hunter2"),
            std::string::npos);
  EXPECT_EQ(Complaint(Kafka("properties: {x: \"hunter2\\0\"}")).find("hunter2"), std::string::npos);
}

TEST(ConfigKafkaTest, SaslNeedsAllItsParts) {
  const std::string at = "f:5: source.kafka.security.";
  EXPECT_EQ(Complaint(Kafka("security: {protocol: sasl_ssl}")),
            at + "mechanism: required with protocol sasl_ssl");
  EXPECT_EQ(Complaint(Kafka("security: {protocol: sasl_ssl, mechanism: PLAIN, username: u}")),
            at + "password_file: required with mechanism PLAIN");
  EXPECT_EQ(Complaint(Kafka("security: {protocol: ssl, mechanism: GSSAPI}")),
            at + "mechanism: has no effect without a SASL protocol; allowed: protocol: sasl_ssl or "
                 "sasl_plaintext with it");
  EXPECT_EQ(Complaint(Kafka("security: {protocol: sasl_plaintext, mechanism: GSSAPI}")),
            "no error");
  EXPECT_EQ(Complaint(Kafka("security: {protocol: sasl_ssl, mechanism: scram-sha-256}"))
                .substr(0, at.size() + 40),
            at + "mechanism: \"scram-sha-256\" is unknown; a");
}

TEST(ConfigKafkaTest, AWrongProtocolIsTheOnlyComplaint) {
  EXPECT_EQ(Complaint(Kafka("security: {protocol: tls, mechanism: PLAIN, ca: a, key: k}")),
            "f:5: source.kafka.security.protocol: \"tls\" is unknown; allowed: one of plaintext, "
            "ssl, sasl_plaintext, sasl_ssl");
}

TEST(ConfigKafkaTest, CertificateAndKeyBelongTogether) {
  const std::string at = "f:5: source.kafka.security.";
  EXPECT_EQ(Complaint(Kafka("security: {protocol: ssl, certificate: c}")),
            at + "certificate: is given without key; allowed: both or neither");
  EXPECT_EQ(Complaint(Kafka("security: {protocol: ssl, key: k}")),
            at + "key: is given without certificate; allowed: both or neither");
  EXPECT_EQ(Complaint(Kafka("security: {ca: ca.pem}")),
            at + "ca: has no effect without TLS; allowed: protocol: ssl or sasl_ssl with it");
  EXPECT_EQ(Complaint(Kafka("security: {protocol: ssl, ca: a, certificate: c, key: k}")),
            "no error");
}

TEST(ConfigKafkaTest, APartitionerThatLosesDeletionsIsNotOffered) {
  EXPECT_EQ(Complaint(Kafka("partitioner: random")).substr(0, 51),
            "f:5: source.kafka.partitioner: \"random\" is unknown;");
}

}  // namespace
}  // namespace lethe::config::kafka_test
