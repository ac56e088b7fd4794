#pragma once

#include <cstdint>

#include "app/generate/example_source.h"
#include "connectors/file/stream_writer.h"
#include "engine/base/split_mix.h"
#include "engine/base/status.h"

namespace lethe {

enum class Pattern { kUniform, kRecent, kOldest, kBurst, kSubject };

// When requests come and what they ask for, and the form of the events.
struct StreamOptions {
  double deletions = 0.01;  // requests per learn event
  Pattern pattern = Pattern::kUniform;
  bool envelopes = false;
};

// Writes the examples of `source` as learn events, one per line, with requests in between. `random`
// decides who asks. If the source shares `random`, the stream depends on the order of their draws.
// Pattern::kBurst needs a source that knows its count. Does not close `out`. kInterrupted after a
// signal.
Status WriteEvents(ExampleSource& source, const StreamOptions& options, SplitMix& random,
                   StreamWriter& out);

}  // namespace lethe
