#include "app/report/report.h"

#include "app/compare/frontier.h"
#include "app/compare/table.h"
#include "app/replay/result_files.h"
#include "app/report/page.h"
#include "app/version.h"
#include "connectors/file/stream_writer.h"
#include "connectors/system/sodium_hash.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

JsonWriter BeginData(const char* kind) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.report/1").Field("kind", kind);
  json.Field("version", kVersion);
  return json;
}

}  // namespace

std::string CompareReport(const std::vector<Comparison>& comparisons) {
  JsonWriter json = BeginData("compare");
  json.Key("comparison").Raw(CompareJson(comparisons));
  std::int64_t learned = 0;
  json.Key("series").BeginArray();
  for (const Comparison& comparison : comparisons) {
    if (!comparison.result) {
      json.Null();
      continue;
    }
    json.Raw(SeriesJson(comparison.result->series));
    learned = comparison.result->total.learned + comparison.result->total.updates;
  }
  json.EndArray().Field("learned", learned).EndObject();
  return ReportPage("Ways to forget, side by side", json.text());
}

std::string FrontierReport(const std::vector<Comparison>& comparisons) {
  JsonWriter json = BeginData("frontier");
  json.Key("frontier").Raw(FrontierJson(comparisons)).EndObject();
  return ReportPage("Accuracy against advantage", json.text());
}

std::string ReplayReport(const Plan& plan, const ReplayResult& result) {
  JsonWriter json = BeginData("replay");
  json.Key("summary").Raw(SummaryJson(plan, result, SodiumHasher()));
  json.Field("deletion_seconds", result.deletion_seconds);
  json.Key("series").BeginArray().Raw(SeriesJson(result.series)).EndArray().EndObject();
  return ReportPage("A replay", json.text());
}

Status CheckReportPath(const std::string& path) {
  if (path != "-") return Status::Ok();
  return {ErrorCode::kUsage, "--html needs a file: the standard output has the figures"};
}

Status WriteReport(const std::string& path, const std::string& page) {
  auto out = StreamWriter::Open(path);
  if (!out.ok()) return out.status();
  LETHE_RETURN_IF_ERROR(out.value()->Write(page));
  return out.value()->Close();
}

}  // namespace lethe
