#include "app/generate/csv_source.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <simdjson.h>

#include "engine/ports/event.h"

namespace lethe {
namespace {

constexpr double kDefaultClip = 3;

bool IsMissing(std::string_view cell) {
  static constexpr std::string_view kWords[] = {"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"};
  return std::find(std::begin(kWords), std::end(kWords), cell) != std::end(kWords);
}

// A finite number that fills the whole cell.
std::optional<double> ParseNumber(std::string_view cell) {
  if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool is_number = error == std::errc() && end == cell.data() + cell.size();
  return is_number && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

Result<std::unique_ptr<CsvSource>> CsvSource::Open(const CsvOptions& options, SplitMix& random) {
  std::unique_ptr<CsvSource> source(new CsvSource(options, random));
  LETHE_RETURN_IF_ERROR(source->Start());
  return source;
}

Status CsvSource::Start() {
  if (options_.count_rows) LETHE_RETURN_IF_ERROR(CountRows());
  auto reader = CsvReader::Open(options_.path);
  if (!reader.ok()) return reader.status();
  reader_ = std::move(reader).value();
  auto columns = CsvColumns::Choose(*reader_, options_.columns);
  if (!columns.ok()) return columns.status();
  columns_ = std::move(columns).value();
  return MakeScaler();
}

Status CsvSource::CountRows() {
  const auto reader = CsvReader::Open(options_.path);
  if (!reader.ok()) return reader.status();
  const std::int64_t most = options_.events.value_or(INT64_MAX);
  for (count_ = 0; *count_ < most; ++*count_) {
    const auto found = reader.value()->Next();
    if (!found.ok()) return found.status();
    if (!found.value()) break;
  }
  return Status::Ok();
}

Status CsvSource::MakeScaler() {
  const double clip = options_.clip.value_or(kDefaultClip);
  if (!options_.scale_file.empty()) {
    auto scaler = Scaler::FromFile(options_.scale_file, columns_.feature_names, clip);
    if (!scaler.ok()) return scaler.status();
    scaler_ = std::move(scaler).value();
    return Status::Ok();
  }
  if (!options_.scale_rows) return Status::Ok();
  std::vector<std::vector<double>> rows;
  while (rows.size() < static_cast<std::size_t>(*options_.scale_rows)) {
    Sample sample;
    const auto found = ReadRow(sample);
    if (!found.ok()) return found.status();
    if (!found.value()) {
      return {ErrorCode::kInput, reader_->name() + ": has " + std::to_string(rows.size()) +
                                     " rows, and --scale-rows asks for " +
                                     std::to_string(*options_.scale_rows)};
    }
    rows.push_back(sample.x);
    ahead_.push_back(std::move(sample));
  }
  auto scaler = Scaler::FromRows(rows, columns_.feature_names, clip);
  if (!scaler.ok()) {
    return {scaler.status().code(), reader_->name() + ", " + scaler.status().message()};
  }
  scaler_ = std::move(scaler).value();
  return Status::Ok();
}

Result<bool> CsvSource::Next(Sample& sample) {
  if (!ahead_.empty()) {
    sample = std::move(ahead_.front());
    ahead_.pop_front();
  } else {
    auto found = ReadRow(sample);
    if (!found.ok() || !found.value()) return found;
  }
  if (scaler_) scaler_->Apply(sample.x);
  if (options_.subjects > 0) sample.person = random_.Below(options_.subjects);
  return true;
}

Result<bool> CsvSource::ReadRow(Sample& sample) {
  const bool is_end = options_.events && rows_ == *options_.events;
  const auto found = is_end ? Result<bool>(false) : reader_->Next();
  if (!found.ok()) return found.status();
  if (!found.value()) {
    if (rows_ == 0) return Status(ErrorCode::kInput, reader_->name() + ": has no rows");
    if (options_.task == Task::kRegression || has_positive_) return false;
    return Status(ErrorCode::kInput, reader_->name() + ", column " + options_.columns.label +
                                         ": no row has the value of --positive; is it spelt as in "
                                         "the file?");
  }
  ++rows_;
  sample.x.clear();
  for (const std::size_t column : columns_.features) {
    const auto number = Number(column);
    if (!number.ok()) return number.status();
    sample.x.push_back(number.value());
  }
  const auto label = Label();
  if (!label.ok()) return label.status();
  sample.y = label.value();
  sample.person.reset();
  if (!columns_.subject || reader_->cell(*columns_.subject).empty()) return true;
  const auto person = Person();
  if (!person.ok()) return person.status();
  sample.person = person.value();
  return true;
}

Result<double> CsvSource::Number(std::size_t column) const {
  const std::string& cell = reader_->cell(column);
  if (IsMissing(cell)) {
    if (options_.missing) return *options_.missing;
    return reader_->Error(column, "the value is missing; --missing VALUE says what stands for it");
  }
  if (const auto number = ParseNumber(cell)) return *number;
  return reader_->Error(column, "is not a finite number; --drop leaves a column out");
}

Result<double> CsvSource::Label() {
  const std::string& cell = reader_->cell(columns_.label);
  if (options_.task == Task::kClassification) {
    // A label that looks like a missing value counts as a label if it is the positive one.
    const bool is_positive = cell == options_.positive;
    if (!is_positive && IsMissing(cell))
      return reader_->Error(columns_.label, "the label is missing");
    has_positive_ = has_positive_ || is_positive;
    return is_positive ? 1.0 : -1.0;
  }
  const auto number = ParseNumber(cell);
  if (!number) return reader_->Error(columns_.label, "the label is not a finite number");
  const double y = *number / options_.label_scale;
  if (std::abs(y) <= 1) return y;
  return reader_->Error(columns_.label,
                        "the label is outside of -1 to 1; --label-scale divides all labels");
}

Result<std::int64_t> CsvSource::Person() {
  const std::string& name = reader_->cell(*columns_.subject);
  if (name.size() > kMaxIdBytes) {
    return reader_->Error(*columns_.subject,
                          "a subject may have " + std::to_string(kMaxIdBytes) + " bytes at most");
  }
  if (!simdjson::validate_utf8(name)) {
    return reader_->Error(*columns_.subject, "is not UTF-8; convert the file");
  }
  const auto [entry, is_new] = people_.try_emplace(name, static_cast<std::int64_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return entry->second;
}

std::string CsvSource::PersonName(std::int64_t person) const {
  return columns_.subject ? names_[static_cast<std::size_t>(person)]
                          : ExampleSource::PersonName(person);
}

}  // namespace lethe
