#include "app/plan/retention_room.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "engine/spec/retention.h"

namespace lethe {
namespace {

std::string Megabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, bytes < 1e7 ? "%.2g MB" : "%.0f MB", bytes / 1e6);
  return text;
}

// Two digits, rounded down: a bound that can be kept.
std::int64_t RoundDown(double number) {
  if (number < 10) return static_cast<std::int64_t>(number);
  double unit = 1;
  while (number / unit >= 100) unit *= 10;
  return static_cast<std::int64_t>(std::floor(number / unit) * unit);
}

std::string Rate(double per_second) {
  char text[32];
  std::snprintf(text, sizeof text,
                per_second < 10 ? "%.2g events a second" : "%.0f events a second", per_second);
  return text;
}

std::string EventSize(const RetentionRoom& room) {
  return std::to_string(std::llround(room.event_bytes)) + " bytes an event";
}

double FreeBytes(const std::string& path) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(path, error);
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  const auto space = std::filesystem::space(folder, error);
  return error ? 0 : static_cast<double>(space.available);
}

}  // namespace

RetentionRoom FindRetentionRoom(const Plan& plan, const std::string& state_path) {
  RetentionRoom room{.event_bytes = BytesOfRetainedEvent(plan.spec),
                     .disk_bytes = FreeBytes(state_path),
                     .memory_bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                                     static_cast<double>(sysconf(_SC_PAGESIZE)),
                     .shards = plan.shards};
  if (plan.spec.forgetting.mode != "rewind") return room;
  room.window = RewindWindow(plan.spec, plan.constants, plan.schedule);
  room.window_ms = RewindWindowMs(plan.spec.forgetting);
  return room;
}

std::string RetentionInWords(const Plan& plan, const RetentionRoom& room) {
  if (plan.spec.forgetting.mode != "rewind") return {};
  if (room.window_ms > 0) {
    const std::string fits = room.disk_bytes > 0
                                 ? "; the disk has room for about " + Rate(room.events_per_second())
                                 : "";
    return ToText(plan.spec.forgetting.retention) +
           " of event time: what arrived earlier has expired (the window is " +
           ToText(Retention{.time_ms = room.window_ms}) + ")" + fits;
  }
  if (room.window == 0) return "all: nothing expires";
  return std::to_string(2 * room.window) +
         " events: what is further back has expired (the window is " + std::to_string(room.window) +
         "); about " + Megabytes(room.bytes());
}

std::vector<std::string> RetentionWarnings(const Plan& plan, const RetentionRoom& room) {
  std::vector<std::string> warnings;
  const std::string retention = "forgetting.retention: " + ToText(plan.spec.forgetting.retention);
  if (room.window_ms > 0) {
    if (room.disk_bytes > 0 && room.events_per_second() < 1) {
      warnings.push_back(
          retention + " at about " + EventSize(room) + " fits into the " +
          Megabytes(room.disk_bytes) + " that are free for state.path only with less than " +
          Rate(room.events_per_second()) + ": shorten it, or give state.path a larger disk");
    }
    return warnings;
  }
  const double per_event = 2 * room.event_bytes * static_cast<double>(room.shards);
  const auto warn = [&](double bytes, const std::string& where) {
    if (bytes == 0 || room.bytes() <= bytes) return;
    const std::int64_t fits = 2 * RoundDown(bytes / per_event);
    warnings.push_back(retention + " at about " + EventSize(room) + " takes " +
                       Megabytes(room.bytes()) + ", and " + where + " has " + Megabytes(bytes) +
                       ": set it to at most " + std::to_string(fits));
  };
  warn(room.disk_bytes, "the disk of state.path");
  warn(room.memory_bytes, "this machine's memory, which holds the window,");
  return warnings;
}

}  // namespace lethe
