#pragma once

#include <initializer_list>
#include <string>
#include <utility>

namespace lethe {

// The log of the process: lines on stderr, in logfmt or as JSON objects, with time, level, message
// and fields. A line never has a payload, an id, a subject or a secret. Thread-safe, except for
// SetLogFormat.
enum class LogLevel { kInfo, kWarning, kError };
enum class LogFormat { kLogfmt, kJson };
using LogField = std::pair<const char*, std::string>;

// Sets the format of the whole process. To be called before it has threads.
void SetLogFormat(LogFormat format);
LogFormat CurrentLogFormat();

// The text of one line, without the newline. For tests.
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
