#pragma once

#include <initializer_list>
#include <string>
#include <utility>

namespace lethe {

// One line of talk on stderr, in logfmt or as a JSON object: time, level, msg, then the fields.
// Never a payload, an id, a subject or a secret. Thread-safe.
enum class LogLevel { kInfo, kWarning, kError };
enum class LogFormat { kLogfmt, kJson };
using LogField = std::pair<const char*, std::string>;

// For the whole process; before it has threads.
void SetLogFormat(LogFormat format);
LogFormat CurrentLogFormat();

// The line without its end.
std::string LogLine(LogFormat format, const std::string& time, LogLevel level,
                    const std::string& message, std::initializer_list<LogField> fields);

void Log(LogLevel level, const std::string& message, std::initializer_list<LogField> fields = {});

inline void LogInfo(const std::string& message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kInfo, message, fields);
}
inline void LogWarning(const std::string& message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kWarning, message, fields);
}

}  // namespace lethe
