#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/replay/quality.h"
#include "engine/base/status.h"
#include "engine/plan.h"
#include "engine/ports/event.h"
#include "engine/ports/example.h"

namespace lethe {

// The learn events of a stream, admitted once, in their order. A value type.
struct TuneRows {
  struct Row {
    std::size_t shard = 0;  // from 0, without gaps
    Example example;
  };
  std::vector<Row> rows;
  std::size_t shards = 1;
  std::int64_t refused = 0;  // events that the model of the spec does not take

  std::int64_t size() const { return static_cast<std::int64_t>(rows.size()); }
};

// The learn events among the records that this model takes. Versions that an update replaces, and
// events that are sent twice, are rows like all others.
TuneRows AdmitRows(const Spec& spec, const std::vector<Record>& records);

// The quality of the first `count` rows, each predicted and then learned. `window` is the W of mode
// rewind: a model depends on the last W to 2 W events; 0: on all. No deletion is carried out, so
// this is what forgetting costs by its window alone.
//
// Fails (kConfig) if the settings are refused, and with kInterrupted after a signal. May be called
// from several threads at once.
Result<Quality> RunTrial(const Spec& spec, const TuneRows& rows, std::int64_t count,
                         std::int64_t window);

}  // namespace lethe
