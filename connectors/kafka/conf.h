#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "connectors/kafka/settings.h"

struct rd_kafka_conf_s;

namespace lethe::kafka {

struct ConfDeleter {
  void operator()(rd_kafka_conf_s* conf) const;
};
using Conf = std::unique_ptr<rd_kafka_conf_s, ConfDeleter>;

using Properties = std::vector<std::pair<std::string, std::string>>;

// What every reader of ours has fixed: committed records only, no offsets stored by librdkafka, no
// topic made, no silent reset. `more` is added.
Properties ReaderProperties(const Properties& more);

// What librdkafka is told: `defaults`, over them the user's settings, over these `fixed`. The error
// lists all properties that librdkafka refuses, without their values.
Result<Conf> MakeConf(const KafkaSettings& settings, const Properties& defaults,
                      const Properties& fixed);

}  // namespace lethe::kafka
