#include "connectors/kafka/contact.h"

#include <algorithm>
#include <cstdint>

#include <simdjson.h>

namespace lethe::kafka {

// librdkafka lists a broker several times: by the address in the configuration (node -1), by the
// address that the cluster advertises, and once for each of its roles ("logical"). Only an
// advertised address counts as a connected broker. Received bytes count for the silence under every
// entry.
std::optional<BrokerStatistics> ReadBrokerStatistics(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::object brokers;
  if (parser.parse(json.data(), json.size())["brokers"].get(brokers) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  BrokerStatistics found;
  for (const auto& [name, broker] : brokers) {
    std::int64_t node = -1;
    std::int64_t idle_us = -1;
    std::string_view state;
    std::string_view source;
    if (broker["nodeid"].get(node) != simdjson::SUCCESS ||
        broker["rxidle"].get(idle_us) != simdjson::SUCCESS ||
        broker["state"].get(state) != simdjson::SUCCESS ||
        broker["source"].get(source) != simdjson::SUCCESS) {
      return std::nullopt;
    }
    // UPDATE: the connection is up, and the features of the broker are being asked for.
    const bool is_up = state == "UP" || state == "UPDATE";
    if (is_up && node >= 0 && source != "logical") ++found.connected;
    if (idle_us >= 0) {
      const std::chrono::microseconds idle(idle_us);
      found.silence = found.silence ? std::min(*found.silence, idle) : idle;
    }
  }
  return found;
}

}  // namespace lethe::kafka
