#include "app/run/connection.h"

#include "app/config/read_file.h"

namespace lethe {

Result<std::string> ReadSecret(const std::string& path) {
  auto text = config::ReadWholeFile(path);
  if (!text.ok()) return Status(ErrorCode::kConfig, text.status().message());
  std::string secret = text.value().substr(0, text.value().find('\n'));
  if (!secret.empty() && secret.back() == '\r') secret.pop_back();
  if (secret.empty()) return Status(ErrorCode::kConfig, path + ": its first line is empty");
  return secret;
}

namespace {

KafkaSettings SettingsWithoutSecrets(const KafkaConfig& kafka) {
  KafkaSettings settings{.brokers = kafka.brokers, .properties = kafka.properties};
  const auto set = [&](const char* name, const std::optional<std::string>& value) {
    if (value) settings.properties[name] = *value;
  };
  set("security.protocol", kafka.security.protocol);
  set("sasl.mechanism", kafka.security.mechanism);
  set("sasl.username", kafka.security.username);
  set("ssl.ca.location", kafka.security.ca);
  set("ssl.certificate.location", kafka.security.certificate);
  set("ssl.key.location", kafka.security.key);
  return settings;
}

}  // namespace

Status CheckKafkaConfig(const KafkaConfig& kafka) {
  return CheckKafkaSettings(SettingsWithoutSecrets(kafka));
}

Result<KafkaSettings> MakeKafkaSettings(const KafkaConfig& kafka) {
  KafkaSettings settings = SettingsWithoutSecrets(kafka);
  if (kafka.security.password_file) {
    auto password = ReadSecret(*kafka.security.password_file);
    if (!password.ok()) {
      return Status(ErrorCode::kConfig,
                    "source.kafka.security.password_file: " + password.status().message());
    }
    settings.properties["sasl.password"] = std::move(password).value();
  }
  LETHE_RETURN_IF_ERROR(CheckKafkaSettings(settings));
  return settings;
}

}  // namespace lethe
