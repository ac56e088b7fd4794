#pragma once

#include <optional>
#include <string>

#include "app/config/config.h"
#include "connectors/kafka/settings.h"
#include "engine/base/status.h"

namespace lethe {

// What librdkafka must know, from the configuration; reads the password file. kConfig if librdkafka
// does not take it.
Result<KafkaSettings> MakeKafkaSettings(const KafkaConfig& kafka);

// Whether librdkafka would take it, without reading any secret.
Status CheckKafkaConfig(const KafkaConfig& kafka);

// A secret from a file: its first line. Never shown.
Result<std::string> ReadSecret(const std::string& path);

// What is to be said of an address that others can reach without a token.
std::optional<std::string> ListenWarning(const HttpConfig& http);

}  // namespace lethe
