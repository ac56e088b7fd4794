#include "app/generate/generator.h"

#include "engine/base/split_mix.h"

namespace lethe {

Status Generate(const GenerateOptions& options, StreamWriter& out) {
  SplitMix random(options.seed);
  SyntheticSource source({.task = options.task,
                          .events = options.events,
                          .dimension = options.dimension,
                          .drift = options.drift,
                          .subjects = options.subjects,
                          .classes = options.classes,
                          .weights = options.weights},
                         random);
  return WriteEvents(
      source,
      {.deletions = options.deletions, .pattern = options.pattern, .envelopes = options.envelopes},
      random, out);
}

}  // namespace lethe
