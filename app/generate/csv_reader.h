#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/file/line_reader.h"
#include "engine/base/status.h"

namespace lethe {

// Splits one line of a CSV file into its cells (RFC 4180: commas, cells in double quotes, a quote
// inside of them doubled). Spaces around a cell count only inside of quotes. A cell in quotes must
// end on its line. Messages carry no values.
Status SplitCsvLine(std::string_view line, std::vector<std::string>& cells);

// A reader of CSV files whose first line names the columns: plain, gzip or Zstandard, with LF or CR
// LF. Blank lines are skipped. Every row has a cell for each column. Not thread-safe. After an
// error it must not be used again.
class CsvReader {
 public:
  // kInput if the file cannot be opened or read, has no header, or names a column twice.
  static Result<std::unique_ptr<CsvReader>> Open(const std::string& path);

  // A column without a name is called "column K", counted from 1.
  const std::vector<std::string>& columns() const { return columns_; }

  // Reads the next row; false at the end. Its cells are valid until the next call.
  Result<bool> Next();
  const std::string& cell(std::size_t column) const { return cells_[column]; }

  // A kInput error at the present row: "FILE, line N: message" or "FILE, line N, column C:
  // message".
  Status Error(const std::string& message) const;
  Status Error(std::size_t column, const std::string& message) const;

  const std::string& name() const { return lines_->name(); }

 private:
  explicit CsvReader(std::unique_ptr<LineReader> lines) : lines_(std::move(lines)) {}
  Result<bool> ReadCells();
  Status ReadHeader();

  const std::unique_ptr<LineReader> lines_;
  std::int64_t line_ = 0;
  std::vector<std::string> columns_;
  std::vector<std::string> cells_;
};

}  // namespace lethe
