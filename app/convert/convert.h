#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "connectors/binary/event_codec.h"
#include "engine/base/status.h"

namespace lethe {

enum class RecordedForm { kJson, kBinary };

// The form that a file name stands for: .ndjson, .jsonl and .json, or .lethe, each also followed by
// .gz or .zst. None for other names.
std::optional<RecordedForm> FormOfName(std::string_view path);

struct ConvertOptions {
  std::string in;   // a recorded stream of any form; - is stdin
  std::string out;  // - is stdout
  RecordedForm to = RecordedForm::kBinary;
  NumberWidth width = NumberWidth::kFloat64;  // binary only
  bool skip_bad = false;
  bool show_progress = false;
};

// The counts of a conversion.
struct ConvertResult {
  std::int64_t records = 0;  // written, and by kind:
  std::int64_t learns = 0;
  std::int64_t deletes = 0;
  std::int64_t updates = 0;

  std::int64_t skipped = 0;  // records that could not be written, by reason, and deletes among them
  std::map<std::string, std::int64_t> skipped_by_reason;
  std::int64_t skipped_requests = 0;

  std::int64_t inexact_values = 0;  // numbers that float32 changed, and records with such numbers
  std::int64_t inexact_records = 0;
};

// Writes a recorded stream in another form. Every event keeps its position.
//
// A record that cannot be read, or cannot be written in the other form, is kInput with its place,
// and there is no output file. With skip_bad such a record is counted and left out, and the others
// keep their offsets. kInterrupted after a signal.
Result<ConvertResult> Convert(const ConvertOptions& options);

// The counts as JSON.
std::string ConvertJson(const ConvertOptions& options, const ConvertResult& result);

}  // namespace lethe
