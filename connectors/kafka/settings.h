#pragma once

#include <map>
#include <string>

#include "engine/base/status.h"

namespace lethe {

// Everything that librdkafka needs to know to connect, with passwords already read.
struct KafkaSettings {
  std::string brokers;                            // host:port, host:port, ...
  std::map<std::string, std::string> properties;  // the user's and those of security
};

// Checks every name and value without connecting: kConfig, with all errors in one message. Values
// are never shown, since they may be secrets.
Status CheckKafkaSettings(const KafkaSettings& settings);

}  // namespace lethe
