#include "app/convert/convert.h"

#include <memory>
#include <utility>
#include <vector>

#include "app/interrupt.h"
#include "app/progress.h"
#include "connectors/binary/file_writer.h"
#include "connectors/file/record_writer.h"
#include "connectors/file/recorded_stream.h"
#include "connectors/json/event_writer.h"
#include "connectors/system/system_clock.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

constexpr std::int64_t kShowEvery = 1024;  // records between two updates of the progress line

// One conversion, from opening the input to the last byte of the output.
class Converter {
 public:
  explicit Converter(const ConvertOptions& options) : options_(options) {}

  Result<ConvertResult> Run() {
    auto stream = RecordedStream::Open(options_.in);
    if (!stream.ok()) return stream.status();
    stream_ = std::move(stream).value();
    LETHE_RETURN_IF_ERROR(ReadAll());
    if (!first_bad_.empty() && !options_.skip_bad) return BadRecords();
    if (writer_ == nullptr) {
      return Status(
          ErrorCode::kInput,
          options_.in + " holds no event that can be read; the first " + "problem: " + first_bad_);
    }
    LETHE_RETURN_IF_ERROR(writer_->Close());
    return std::move(result_);
  }

 private:
  Status ReadAll() {
    SystemClock clock;
    Progress progress(options_.show_progress, clock);
    std::vector<Record> batch;
    for (std::int64_t records = 0;; ++records) {
      // One record at a time, so that the stream knows the place of a record that the writer
      // refuses.
      const auto count = stream_->ReadRecords(batch, 1);
      if (!count.ok()) return count.status();
      if (count.value() == 0) return Status::Ok();
      LETHE_RETURN_IF_ERROR(Take(batch.front()));
      if (records % kShowEvery == 0) {
        progress.Show(records, stream_->bytes_read(), stream_->bytes_total());
      }
      if (Interrupted()) {
        return InterruptedStatus("stopped after " + std::to_string(records + 1) +
                                 " records; nothing was written");
      }
    }
  }

  Status Take(const Record& record) {
    if (record.rejection) {
      Skip(*record.rejection, record.rejection->message);
      return Status::Ok();
    }
    // After the first bad record nothing is written. The rest is read to count the bad records.
    if (!first_bad_.empty() && !options_.skip_bad) return Status::Ok();
    if (writer_ == nullptr) LETHE_RETURN_IF_ERROR(OpenWriter());
    std::optional<Rejection> refused;
    LETHE_RETURN_IF_ERROR(writer_->Write(record, refused));
    if (refused) {
      refused->is_request = record.event.kind == EventKind::kDelete;
      Skip(*refused, (stream_->is_binary() ? "record " : "line ") +
                         std::to_string(stream_->line_number()) + ": " + refused->message);
    } else {
      Count(record.event);
    }
    return Status::Ok();
  }

  // Opened with the first event, because the stream knows only then whether its events are bare.
  Status OpenWriter() {
    auto writer = options_.to == RecordedForm::kJson
                      ? JsonFileWriter::Open(options_.out, stream_->is_bare())
                      : BinaryFileWriter::Open(
                            options_.out, {.width = options_.width, .bare = stream_->is_bare()});
    if (!writer.ok()) return writer.status();
    writer_ = std::move(writer).value();
    return Status::Ok();
  }

  void Count(const Event& event) {
    ++result_.records;
    switch (event.kind) {
      case EventKind::kLearn: ++result_.learns; break;
      case EventKind::kDelete: ++result_.deletes; break;
      case EventKind::kUpdate: ++result_.updates; break;
    }
    if (options_.to != RecordedForm::kBinary || options_.width != NumberWidth::kFloat32) return;
    const auto inexact = static_cast<std::int64_t>(CountInexactInFloat32(event));
    result_.inexact_values += inexact;
    result_.inexact_records += inexact > 0 ? 1 : 0;
  }

  void Skip(const Rejection& why, const std::string& message) {
    if (first_bad_.empty()) first_bad_ = message;
    ++result_.skipped;
    ++result_.skipped_by_reason[ReasonName(why.reason)];
    result_.skipped_requests += why.is_request ? 1 : 0;
  }

  Status BadRecords() const {
    const std::string count =
        result_.skipped == 1
            ? "a record cannot be converted: "
            : std::to_string(result_.skipped) + " records cannot be converted, the first of them: ";
    const char* const outcome = options_.out == "-" ? "; " : "; nothing was written, ";
    return {ErrorCode::kInput, options_.in + ": " + count + first_bad_ + outcome +
                                   "--skip-bad leaves such records out"};
  }

  const ConvertOptions& options_;
  std::unique_ptr<RecordedStream> stream_;
  std::unique_ptr<RecordWriter> writer_;
  std::string first_bad_;  // with its place
  ConvertResult result_;
};

// `path` without `ending`, if it has it.
bool RemoveEnding(std::string_view ending, std::string_view& path) {
  if (!path.ends_with(ending)) return false;
  path.remove_suffix(ending.size());
  return true;
}

}  // namespace

std::optional<RecordedForm> FormOfName(std::string_view path) {
  if (!RemoveEnding(".gz", path)) RemoveEnding(".zst", path);
  if (path.ends_with(".lethe")) return RecordedForm::kBinary;
  for (const char* ending : {".ndjson", ".jsonl", ".json"}) {
    if (path.ends_with(ending)) return RecordedForm::kJson;
  }
  return std::nullopt;
}

Result<ConvertResult> Convert(const ConvertOptions& options) { return Converter(options).Run(); }

std::string ConvertJson(const ConvertOptions& options, const ConvertResult& result) {
  const bool is_binary = options.to == RecordedForm::kBinary;
  JsonWriter json;
  json.BeginObject().Field("form", is_binary ? "binary" : "json");
  json.Field("records", result.records).Field("learn", result.learns);
  json.Field("delete", result.deletes).Field("update", result.updates);
  json.Key("skipped").BeginObject();
  for (const auto& [reason, count] : result.skipped_by_reason) json.Field(reason, count);
  json.EndObject().Field("skipped_requests", result.skipped_requests);
  json.Field("inexact_values", result.inexact_values);
  json.Field("inexact_records", result.inexact_records).EndObject();
  return json.text();
}

}  // namespace lethe
