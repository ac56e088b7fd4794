#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/generate/csv_columns.h"
#include "app/generate/csv_reader.h"
#include "app/generate/example_source.h"
#include "app/generate/scaler.h"
#include "engine/base/split_mix.h"

namespace lethe {

// The options of a stream from a CSV file.
struct CsvOptions {
  std::string path;  // - is the standard input
  Task task = Task::kClassification;
  CsvColumnNames columns;
  std::string positive;           // classification: y = 1 where the label is this text, else -1
  double label_scale = 1;         // regression: y is the label divided by this
  std::int64_t subjects = 0;      // number of random people, if there is no column of subjects
  std::optional<double> missing;  // replaces a missing value; none: a missing value is an error
  std::optional<std::int64_t> events;      // at most this many rows
  std::optional<std::int64_t> scale_rows;  // the first rows, declared public, give the scale
  std::string scale_file;                  // or this file does; neither: values are not scaled
  std::optional<double> clip;              // the bound of scaled values; none: 3
  bool count_rows = false;  // read the file twice, so that the count is known in advance
};

// A source of the rows of a CSV file, in order. Rows that gave the scale are learned like all
// others: they are public by declaration, and a deletion of one of them covers the model, not the
// scale. Not thread-safe. After an error it must not be used again.
class CsvSource final : public ExampleSource {
 public:
  // `random` must outlive the source. Errors are kInput, with file, line and column; they carry no
  // values.
  static Result<std::unique_ptr<CsvSource>> Open(const CsvOptions& options, SplitMix& random);

  // kInput at the end of a classification file in which no label was the positive one.
  Result<bool> Next(Sample& sample) override;
  std::optional<std::int64_t> count() const override { return count_; }
  std::int64_t people() const override { return options_.subjects; }
  std::string PersonName(std::int64_t person) const override;

  // The number of features of an event: the columns, and a constant if they are scaled.
  std::size_t dimension() const { return columns_.features.size() + (scaler_ ? 1 : 0); }

 private:
  CsvSource(const CsvOptions& options, SplitMix& random) : options_(options), random_(random) {}

  Status Start();
  Status MakeScaler();
  Status CountRows();

  Result<bool> ReadRow(Sample& sample);
  Result<double> Number(std::size_t column) const;
  Result<double> Label();
  Result<std::int64_t> Person();

  const CsvOptions options_;
  SplitMix& random_;
  std::unique_ptr<CsvReader> reader_;
  CsvColumns columns_;
  std::optional<Scaler> scaler_;
  std::optional<std::int64_t> count_;

  std::deque<Sample> ahead_;  // read for the scale and not returned yet
  std::int64_t rows_ = 0;     // read so far
  bool has_positive_ = false;
  std::unordered_map<std::string, std::int64_t> people_;
  std::vector<std::string> names_;
};

}  // namespace lethe
