#pragma once

#include <cstdint>

#include "app/generate/event_stream.h"
#include "app/generate/synthetic_source.h"
#include "connectors/file/stream_writer.h"
#include "engine/base/status.h"

namespace lethe {

// The options of a synthetic stream: the learning problem, and the requests.
struct GenerateOptions {
  Task task = Task::kClassification;
  std::int64_t events = 20000;  // learn events
  std::int64_t dimension = 20;
  double drift = 0;  // 0: stationary; 1: the truth turns by a right angle over the stream
  std::int64_t subjects = 1000;  // people, all equally likely to send an event; 0: no keys
  double deletions = 0.01;       // requests per learn event
  std::int64_t classes = 0;      // labels are 0 to classes - 1; 0: they are -1 and +1
  double weights = 0;            // the largest importance weight; 0: events have none
  Pattern pattern = Pattern::kUniform;
  std::uint64_t seed = 1;
  bool envelopes = false;
};

// Writes the stream, one event per line. Its bytes are a function of the options alone.
Status Generate(const GenerateOptions& options, StreamWriter& out);

}  // namespace lethe
