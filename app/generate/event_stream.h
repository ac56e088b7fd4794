#pragma once

#include <cstdint>

#include "app/generate/example_source.h"
#include "app/generate/split_mix.h"
#include "connectors/file/stream_writer.h"
#include "engine/base/status.h"

namespace lethe {

enum class Pattern { kUniform, kRecent, kOldest, kBurst, kSubject };

// Who asks to be forgotten when, and how events are written down.
struct StreamOptions {
  double deletions = 0.01;  // requests per learn event
  Pattern pattern = Pattern::kUniform;
  bool envelopes = false;
};

// Writes the examples of `source` as learn events, one per line, with requests in between. `random`
// decides who asks; a source that uses it too makes one stream of its draws with these.
// kBurst needs a source that knows its count.
Status WriteEvents(ExampleSource& source, const StreamOptions& options, SplitMix& random,
                   StreamWriter& out);

}  // namespace lethe
