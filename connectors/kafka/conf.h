#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "connectors/kafka/settings.h"

struct rd_kafka_conf_s;

namespace lethe::kafka {

// Owns a configuration until rd_kafka_new takes it over.
struct ConfDeleter {
  void operator()(rd_kafka_conf_s* conf) const;
};
using Conf = std::unique_ptr<rd_kafka_conf_s, ConfDeleter>;

using Properties = std::vector<std::pair<std::string, std::string>>;

// The properties that every consumer of this folder fixes: committed records only, no offsets
// stored by librdkafka, no topic created, no silent offset reset. `more` is appended.
Properties ReaderProperties(const Properties& more);

// The configuration for librdkafka: `defaults`, overridden by the user's settings, overridden by
// `fixed`. kConfig lists every property that librdkafka refuses, without values, which may be
// secret.
Result<Conf> MakeConf(const KafkaSettings& settings, const Properties& defaults,
                      const Properties& fixed);

}  // namespace lethe::kafka
