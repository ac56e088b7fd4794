#pragma once

#include <map>
#include <string>

#include "engine/base/status.h"

namespace lethe {

// The connection settings for librdkafka, with passwords already read from their files.
struct KafkaSettings {
  std::string brokers;                            // host:port, host:port, ...
  std::map<std::string, std::string> properties;  // the user's, and those for security
};

// Checks every name and value without connecting. kConfig lists all errors in one message. Values
// are never shown, because they may be secrets.
Status CheckKafkaSettings(const KafkaSettings& settings);

}  // namespace lethe
