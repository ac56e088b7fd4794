#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace lethe {

// How well a client is connected to its brokers, at one moment.
struct BrokerContact {
  std::optional<int> connected;          // brokers with an open connection, once it is known
  std::chrono::milliseconds silence{0};  // time since the last bytes of any broker, or the start
  std::string last_error;                // the last error of librdkafka; may be empty
};

namespace kafka {

// The part of librdkafka's statistics that is about brokers.
struct BrokerStatistics {
  int connected = 0;
  std::optional<std::chrono::microseconds> silence;  // since the last bytes, once there were any
};

// Parses librdkafka's statistics. Nothing if `json` has another form.
std::optional<BrokerStatistics> ReadBrokerStatistics(std::string_view json);

}  // namespace kafka

}  // namespace lethe
