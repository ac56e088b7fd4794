#include "app/run/connection.h"

#include <sys/stat.h>

#include "app/config/read_file.h"
#include "http/guard.h"

namespace lethe {

Result<std::string> ReadSecret(const std::string& path) {
  struct stat found = {};
  // The group may read the file: a service manager or Kubernetes hands secrets over that way.
  if (stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
      (found.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
    return Status(ErrorCode::kConfig,
                  path +
                      " holds a secret, and every user of this machine can read or change it: "
                      "chmod 600 it (640 for a group), and replace the secret if somebody may "
                      "have read it");
  }
  auto text = config::ReadWholeFile(path, "the secret");
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

std::optional<std::string> ListenWarning(const HttpConfig& http) {
  const std::string host = http.listen.substr(0, http.listen.rfind(':'));
  if (http.token_file || IsLoopback(host)) return std::nullopt;
  return "http.listen " + http.listen +
         " can be reached by other machines, and nobody is asked for a token: set "
         "http.token_file, or listen on 127.0.0.1";
}

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
