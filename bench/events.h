#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "connectors/binary/event_codec.h"
#include "connectors/json/event_writer.h"
#include "engine/base/check.h"
#include "engine/ports/event.h"

namespace lethe {

enum class Form : std::int64_t { kJson, kFloat32, kFloat64 };

// The events of the benchmarks: a function of their number. Values have six decimals, as `lethe
// generate` writes them, and a norm below 1; the label is that of a fixed model.
inline void MakeEvent(std::int64_t number, std::int64_t dimension, Event& event) {
  event.kind = EventKind::kLearn;
  event.id = "e-" + std::to_string(number);
  event.x.resize(static_cast<std::size_t>(dimension));
  const double scale = 0.99 / std::sqrt(static_cast<double>(dimension));
  auto state = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15u + 1;
  double score = 0;
  for (double& x : event.x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double uniform = static_cast<double>(static_cast<std::int64_t>(state) >> 11) * 0x1p-52;
    x = std::trunc(uniform * scale * 1e6) / 1e6;
    score += x;
  }
  event.y = score < 0 ? -1 : 1;
}

inline Record MakeRecord(std::int64_t number, std::int64_t dimension) {
  Record record;
  record.offset.value = number;
  MakeEvent(number, dimension, record.event);
  record.event.subject = "user-" + std::to_string(number % 1000);
  return record;
}

// The value of a message; a subject is for its key, and is not in the event.
inline void EncodeMessage(const Record& record, Form form, std::string& out) {
  out.clear();
  if (form == Form::kJson) {
    LETHE_CHECK(!WriteJsonLine(record, true, out));
    return;
  }
  const auto width = form == Form::kFloat32 ? NumberWidth::kFloat32 : NumberWidth::kFloat64;
  LETHE_CHECK(!BinaryEventCodec().Encode(record.event, width, out));
}

}  // namespace lethe
