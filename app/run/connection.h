#pragma once

#include <optional>
#include <string>

#include "app/config/config.h"
#include "connectors/kafka/settings.h"
#include "engine/base/status.h"

namespace lethe {

// The settings of librdkafka, from the configuration and the password file. kConfig if the file
// cannot be read or is open to others, or if librdkafka refuses a setting.
Result<KafkaSettings> MakeKafkaSettings(const KafkaConfig& kafka);

// Whether librdkafka takes the configuration. Reads no secret.
Status CheckKafkaConfig(const KafkaConfig& kafka);

// The secret in a file: its first line. kConfig if the file cannot be read, is empty, or can be
// read or changed by every user of the machine. The message never contains the secret.
Result<std::string> ReadSecret(const std::string& path);

// A warning if other machines can reach the HTTP server without a token.
std::optional<std::string> ListenWarning(const HttpConfig& http);

}  // namespace lethe
