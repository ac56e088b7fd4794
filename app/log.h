#pragma once

#include <initializer_list>
#include <string>
#include <utility>

namespace lethe {

// One line of talk on stderr, in logfmt: time, level, msg, then the fields. Never a payload, an id,
// a subject or a secret. Thread-safe.
enum class LogLevel { kInfo, kWarning, kError };
using LogField = std::pair<const char*, std::string>;

void Log(LogLevel level, const std::string& message, std::initializer_list<LogField> fields = {});

inline void LogInfo(const std::string& message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kInfo, message, fields);
}
inline void LogWarning(const std::string& message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kWarning, message, fields);
}

}  // namespace lethe
