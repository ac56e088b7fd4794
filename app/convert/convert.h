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

// The form that a file name stands for: .ndjson, .jsonl and .json, or .lethe, also with .gz or .zst
// behind it.
std::optional<RecordedForm> FormOfName(std::string_view path);

struct ConvertOptions {
  std::string in;   // a recorded stream of any form; - is stdin
  std::string out;  // - is stdout
  RecordedForm to = RecordedForm::kBinary;
  NumberWidth width = NumberWidth::kFloat64;  // binary only
  bool skip_bad = false;
  bool show_progress = false;
};

struct ConvertResult {
  std::int64_t records = 0;  // that were written, by kind:
  std::int64_t learns = 0;
  std::int64_t deletes = 0;
  std::int64_t updates = 0;

  std::int64_t skipped = 0;  // that could not be: by reason, and deletes among them
  std::map<std::string, std::int64_t> skipped_by_reason;
  std::int64_t skipped_requests = 0;

  std::int64_t inexact_values = 0;  // numbers that float32 changed, and records with such
  std::int64_t inexact_records = 0;
};

// Writes a recorded stream in another form: every event that Lethe reads from it, at its place.
//
// A record that cannot be read, or not be written in the other form, is an error with its place,
// and nothing is written; with skip_bad it is counted and left out, and the others keep their
// offsets.
Result<ConvertResult> Convert(const ConvertOptions& options);

// The counts for programs.
std::string ConvertJson(const ConvertOptions& options, const ConvertResult& result);

}  // namespace lethe
