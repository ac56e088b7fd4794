#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan.h"

namespace lethe {

// What a retention needs and what the machine has. A value type.
struct RetentionRoom {
  std::int64_t window = 0;     // learn events; 0: none, or a window in time
  std::int64_t window_ms = 0;  // event time; 0: none, or a window in events
  double event_bytes = 0;      // of an event with its names, about
  double disk_bytes = 0;       // free where the state is; 0: not known
  double memory_bytes = 0;     // of the machine; 0: not known
  std::int64_t shards = 1;

  // Of a full window in events, in all shards.
  double bytes() const { return 2 * static_cast<double>(window * shards) * event_bytes; }
  // With a window in time: how many events a second the disk can hold, in all shards.
  double events_per_second() const { return disk_bytes / event_bytes * 500 / window_ms; }
};

// Looks at the disk of `state_path`, which need not exist yet, and at the machine's memory. In
// modes without a window both windows are 0.
RetentionRoom FindRetentionRoom(const Plan& plan, const std::string& state_path);

// One line that says what expires and what it takes; empty in modes that retain no window. For
// `lethe check`.
std::string RetentionInWords(const Plan& plan, const RetentionRoom& room);

// Warnings about a retention that the disk or the memory cannot hold, with the numbers and the
// remedy.
std::vector<std::string> RetentionWarnings(const Plan& plan, const RetentionRoom& room);

// All functions are thread-safe.
}  // namespace lethe
