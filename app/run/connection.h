#pragma once

#include "app/config/config.h"
#include "connectors/kafka/settings.h"
#include "engine/status.h"

namespace lethe {

// What librdkafka must know, from the configuration; reads the password file.
Result<KafkaSettings> MakeKafkaSettings(const KafkaConfig& kafka);

// A secret from a file: its first line. Never shown.
Result<std::string> ReadSecret(const std::string& path);

}  // namespace lethe
