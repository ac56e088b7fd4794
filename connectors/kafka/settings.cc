#include "connectors/kafka/settings.h"

#include <librdkafka/rdkafka.h>

#include <array>
#include <string_view>

#include "connectors/kafka/conf.h"

namespace lethe {

namespace kafka {

namespace {

// Describes a refused value without quoting it. librdkafka's own text quotes the value, except in
// the part about the allowed range.
std::string DescribeBadValue(const std::string& name, std::string_view errstr) {
  constexpr std::string_view kRange = "is outside allowed range";
  const std::size_t range = errstr.find(kRange);
  const std::string what = "the value of \"" + name + "\" ";
  if (range != std::string_view::npos) return what + std::string(errstr.substr(range));
  return what + "is not one that librdkafka takes";
}

// Sets one property. Returns an empty text, or why librdkafka refuses it.
std::string SetOne(rd_kafka_conf_t* conf, const std::string& name, const std::string& value) {
  std::array<char, 512> errstr{};
  switch (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), errstr.data(), errstr.size())) {
    case RD_KAFKA_CONF_OK: return {};
    case RD_KAFKA_CONF_UNKNOWN: return "librdkafka has no property \"" + name + "\"";
    default: return DescribeBadValue(name, errstr.data());
  }
}

}  // namespace

void ConfDeleter::operator()(rd_kafka_conf_s* conf) const { rd_kafka_conf_destroy(conf); }

Properties ReaderProperties(const Properties& more) {
  Properties all = {
      {"isolation.level", "read_committed"}, {"enable.auto.commit", "false"},
      {"enable.auto.offset.store", "false"}, {"auto.offset.reset", "error"},
      {"allow.auto.create.topics", "false"}, {"enable.partition.eof", "true"},
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Result<Conf> MakeConf(const KafkaSettings& settings, const Properties& defaults,
                      const Properties& fixed) {
  Conf conf(rd_kafka_conf_new());
  std::string errors;
  const auto set = [&](const std::string& name, const std::string& value) {
    const std::string error = SetOne(conf.get(), name, value);
    if (!error.empty()) errors += (errors.empty() ? "" : "; ") + error;
  };
  for (const auto& [name, value] : defaults) set(name, value);
  for (const auto& [name, value] : settings.properties) set(name, value);
  if (settings.brokers.empty()) {
    errors += (errors.empty() ? "" : "; ") + std::string("no brokers are given");
  } else {
    set("bootstrap.servers", settings.brokers);
  }
  for (const auto& [name, value] : fixed) set(name, value);
  if (!errors.empty()) return Status(ErrorCode::kConfig, "Kafka: " + errors);
  return conf;
}

}  // namespace kafka

Status CheckKafkaSettings(const KafkaSettings& settings) {
  return kafka::MakeConf(settings, {}, {}).status();
}

}  // namespace lethe
