#include "app/log.h"

#include <sys/time.h>

#include <cstdio>
#include <ctime>

#include "engine/base/json.h"

namespace lethe {
namespace {

const char* Name(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kError: return "error";
  }
  return "";
}

std::string Now() {
  timeval now = {};
  gettimeofday(&now, nullptr);
  tm parts = {};
  gmtime_r(&now.tv_sec, &parts);
  char text[40];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof text - length, ".%03dZ",
                static_cast<int>(now.tv_usec / 1000));
  return text;
}

// The value, in quotes where logfmt needs them. Newlines are escaped, so that a line stays one
// line.
std::string Quoted(const std::string& value) {
  if (!value.empty() && value.find_first_of(" \"=\\\n\t") == std::string::npos) return value;
  std::string text = "\"";
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
    } else {
      if (c == '"' || c == '\\') text += '\\';
      text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return text + "\"";
}

LogFormat& Format() {
  static LogFormat format = LogFormat::kLogfmt;
  return format;
}

}  // namespace

void SetLogFormat(LogFormat format) { Format() = format; }
LogFormat CurrentLogFormat() { return Format(); }

std::string LogLine(LogFormat format, const std::string& time, LogLevel level,
                    const std::string& message, std::initializer_list<LogField> fields) {
  if (format == LogFormat::kJson) {
    JsonWriter json;
    json.BeginObject().Field("time", time).Field("level", Name(level)).Field("msg", message);
    for (const auto& [name, value] : fields) json.Field(name, value);
    return json.EndObject().text();
  }
  std::string line = "time=" + time + " level=" + Name(level) + " msg=" + Quoted(message);
  for (const auto& [name, value] : fields) line += std::string(" ") + name + "=" + Quoted(value);
  return line;
}

void Log(LogLevel level, const std::string& message, std::initializer_list<LogField> fields) {
  const std::string line = LogLine(Format(), Now(), level, message, fields) + '\n';
  // One call, so that lines of two threads do not mix.
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace lethe
