#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace lethe {

// Whether a client still hears from its brokers.
struct BrokerContact {
  std::optional<int> connected;          // brokers with an open connection; none: not known yet
  std::chrono::milliseconds silence{0};  // since the last bytes of any broker, or since the start
  std::string last_error;                // what librdkafka said last; may be empty
};

namespace kafka {

// What the statistics of librdkafka say about the brokers.
struct BrokerStatistics {
  int connected = 0;
  std::optional<std::chrono::microseconds> silence;  // none: nothing was received yet
};

// Nothing if `json` is not what librdkafka writes.
std::optional<BrokerStatistics> ReadBrokerStatistics(std::string_view json);

}  // namespace kafka

}  // namespace lethe
