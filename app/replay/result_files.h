#pragma once

#include <memory>
#include <string>

#include "app/replay/replay.h"
#include "connectors/file/stream_writer.h"
#include "engine/ports/hash.h"
#include "engine/ports/sink.h"

namespace lethe {

// The result files of a replay in one folder. Each has a temporary name until Close; without Close
// they are removed. Owns the files. Not thread-safe.
class ResultFiles {
 public:
  // Creates the folder if needed. kDisk if that or a file fails.
  static Result<std::unique_ptr<ResultFiles>> Open(const std::string& folder);

  StreamWriter& receipts() { return *receipts_; }
  StreamWriter& notices() { return *notices_; }
  StreamWriter& series() { return *series_; }

  // Writes summary and model, and gives all files their names. To be called once, at the end.
  Status Close(const std::string& summary, const std::string& model);

 private:
  std::unique_ptr<StreamWriter> receipts_, notices_, series_, summary_, model_;
};

// The texts of summary.json and model.json (lethe.model/1), one line each.
std::string SummaryJson(const Plan& plan, const ReplayResult& result, const Hasher& hasher);
std::string ModelJson(const Plan& plan, const ReplayResult& result, const Hasher& hasher);

}  // namespace lethe
