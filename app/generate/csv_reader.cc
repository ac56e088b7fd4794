#include "app/generate/csv_reader.h"

#include <algorithm>
#include <set>
#include <utility>

namespace lethe {
namespace {

Status Malformed(std::size_t cell, const std::string& problem) {
  return {ErrorCode::kInput, "cell " + std::to_string(cell) + ": " + problem};
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// Reads the cell in quotes that begins at `at`, and moves `at` past its last quote. False if the
// closing quote is missing.
bool ReadQuoted(std::string_view line, std::size_t& at, std::string& cell) {
  for (++at; at < line.size(); ++at) {
    if (line[at] != '"') {
      cell += line[at];
    } else if (at + 1 < line.size() && line[at + 1] == '"') {
      cell += line[at++];
    } else {
      ++at;
      return true;
    }
  }
  return false;
}

}  // namespace

Status SplitCsvLine(std::string_view line, std::vector<std::string>& cells) {
  cells.clear();
  for (std::size_t at = 0;; ++at) {
    std::string cell;
    if (at < line.size() && line[at] == '"') {
      if (!ReadQuoted(line, at, cell)) {
        return Malformed(cells.size() + 1,
                         "a quote is opened and not closed on this line; line breaks inside of "
                         "quotes are not supported");
      }
      if (at < line.size() && line[at] != ',') {
        return Malformed(cells.size() + 1, "there is text behind the closing quote");
      }
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      cell = Trimmed(line.substr(at, end - at));
      if (cell.find('"') != cell.npos) {
        return Malformed(cells.size() + 1,
                         "there is a quote in the middle; put the whole cell in quotes and double "
                         "the quotes in it");
      }
      at = end;
    }
    cells.push_back(std::move(cell));
    if (at >= line.size()) return Status::Ok();
  }
}

Result<std::unique_ptr<CsvReader>> CsvReader::Open(const std::string& path) {
  auto lines = LineReader::Open(path);
  if (!lines.ok()) return lines.status();
  std::unique_ptr<CsvReader> reader(new CsvReader(std::move(lines).value()));
  LETHE_RETURN_IF_ERROR(reader->ReadHeader());
  return reader;
}

Status CsvReader::Error(const std::string& message) const {
  return {ErrorCode::kInput, name() + ", line " + std::to_string(line_) + ": " + message};
}

Status CsvReader::Error(std::size_t column, const std::string& message) const {
  return {ErrorCode::kInput, name() + ", line " + std::to_string(line_) + ", column " +
                                 columns_[column] + ": " + message};
}

Result<bool> CsvReader::ReadCells() {
  LineReader::Line line;
  const auto found = lines_->Next(line);
  if (!found.ok()) return found.status();
  if (!found.value()) return false;
  line_ = line.number;
  if (line.too_long) return Error("the line is above 1 MiB");
  const Status split = SplitCsvLine(line.text, cells_);
  if (!split.ok()) return Error(split.message());
  return true;
}

Status CsvReader::ReadHeader() {
  const auto found = ReadCells();
  if (!found.ok()) return found.status();
  if (!found.value()) {
    return {ErrorCode::kInput, name() + ": is empty; the first line must name the columns"};
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    columns_.push_back(cells_[i].empty() ? "column " + std::to_string(i + 1) : cells_[i]);
    if (!seen.insert(columns_.back()).second) {
      return Error("two columns are called " + columns_.back() + "; rename one");
    }
  }
  return Status::Ok();
}

Result<bool> CsvReader::Next() {
  auto found = ReadCells();
  if (!found.ok() || !found.value()) return found;
  if (cells_.size() == columns_.size()) return true;
  return Error("has " + std::to_string(cells_.size()) + " cells, the header has " +
               std::to_string(columns_.size()));
}

}  // namespace lethe
