#include <cmath>
#include <cstdio>
#include <map>
#include <memory>

#include "app/commands/command.h"
#include "app/generate/csv_source.h"
#include "app/generate/generator.h"

namespace lethe {
namespace {

constexpr char kCsvGroup[] = "From a table";

struct Arguments {
  GenerateOptions options;
  CsvOptions csv;
  std::string out = "-";
};

Status CheckCsv(const CsvOptions& csv) {
  if (csv.columns.label.empty()) return {ErrorCode::kUsage, "--csv needs --label"};
  const bool is_regression = csv.task == Task::kRegression;
  if (is_regression != csv.positive.empty()) {
    return {ErrorCode::kUsage, is_regression ? "--positive is for --task classification"
                                             : "--csv needs --positive, or --task regression"};
  }
  if (csv.clip && csv.scale_file.empty() && !csv.scale_rows) {
    return {ErrorCode::kUsage, "--clip needs --scale or --scale-rows"};
  }
  if (csv.missing && !std::isfinite(*csv.missing)) {
    return {ErrorCode::kUsage, "--missing: must be a finite number"};
  }
  if (csv.count_rows && csv.path == "-") {
    return {ErrorCode::kUsage, "--pattern burst reads the table twice; give a file, not -"};
  }
  return Status::Ok();
}

Status GenerateFromCsv(const Arguments& arguments, StreamWriter& out) {
  const GenerateOptions& options = arguments.options;
  SplitMix random(options.seed);
  const auto source = CsvSource::Open(arguments.csv, random);
  if (!source.ok()) return source.status();
  LETHE_RETURN_IF_ERROR(WriteEvents(
      *source.value(),
      {.deletions = options.deletions, .pattern = options.pattern, .envelopes = options.envelopes},
      random, out));
  std::fprintf(stderr, "the configuration for this stream has model.dimension: %zu\n",
               source.value()->dimension());
  return Status::Ok();
}

Status RunGenerate(Arguments& arguments) {
  const GenerateOptions& options = arguments.options;
  CsvOptions& csv = arguments.csv;
  const bool is_csv = !csv.path.empty();
  if (options.classes > 0 && options.task == Task::kRegression) {
    return {ErrorCode::kUsage, "--classes is for --task classification"};
  }
  if (is_csv) {
    csv.task = options.task;
    csv.count_rows = options.pattern == Pattern::kBurst;
    LETHE_RETURN_IF_ERROR(CheckCsv(csv));
  }
  const std::int64_t subjects = is_csv ? csv.subjects : options.subjects;
  if (options.pattern == Pattern::kSubject && subjects == 0 && csv.columns.subject.empty()) {
    return {ErrorCode::kUsage, is_csv ? "--pattern subject needs --subject-column or --subjects"
                                      : "--pattern subject needs --subjects above 0"};
  }
  auto out = StreamWriter::Open(arguments.out);
  if (!out.ok()) return out.status();
  LETHE_RETURN_IF_ERROR(is_csv ? GenerateFromCsv(arguments, *out.value())
                               : Generate(options, *out.value()));
  return out.value()->Close();
}

// The options of the synthetic stream, and those that it shares with the CSV stream.
void AddStreamOptions(CLI::App& command, Arguments& arguments) {
  GenerateOptions& options = arguments.options;
  const std::map<std::string, Task> tasks{{"classification", Task::kClassification},
                                          {"regression", Task::kRegression}};
  const std::map<std::string, Pattern> patterns{{"uniform", Pattern::kUniform},
                                                {"recent", Pattern::kRecent},
                                                {"oldest", Pattern::kOldest},
                                                {"burst", Pattern::kBurst},
                                                {"subject", Pattern::kSubject}};
  const std::map<std::string, bool> formats{{"bare", false}, {"envelopes", true}};
  command.add_option("--task", options.task, "classification (default) or regression")
      ->transform(CLI::CheckedTransformer(tasks));
  command
      .add_option_function<std::int64_t>(
          "--events",
          [&arguments](std::int64_t events) {
            arguments.options.events = events;
            arguments.csv.events = events;
          },
          "learn events (20000); of a table, at most this many rows (all)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  command.add_option("--dimension", options.dimension, "features per event (20)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  command.add_option("--drift", options.drift, "0: stationary (default); 1: a right angle")
      ->check(CLI::Range(0.0, 4.0));
  command
      .add_option("--classes", options.classes,
                  "labels are 0 to this number minus 1, for model.loss: softmax; without it, they "
                  "are -1 and +1")
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{1000}));
  command
      .add_option("--weights", options.weights,
                  "each event has an importance weight above 0 and at most this "
                  "(model.weight_bound)")
      ->check(CLI::Range(0.01, 1e6));
  command
      .add_option_function<std::int64_t>(
          "--subjects",
          [&arguments](std::int64_t subjects) {
            arguments.options.subjects = subjects;
            arguments.csv.subjects = subjects;
          },
          "people (1000; of a table 0), drawn at random; 0: events have no subject")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{100'000'000}));
  command.add_option("--deletions", options.deletions, "requests per learn event (0.01)")
      ->check(CLI::Range(0.0, 1.0));
  command
      .add_option("--pattern", options.pattern,
                  "what is deleted: uniform (default), recent, oldest, burst, or subject")
      ->transform(CLI::CheckedTransformer(patterns));
  command.add_option("--seed", options.seed, "the same seed gives the same stream (1)");
  command.add_option("--format", options.envelopes, "bare (default) or envelopes")
      ->transform(CLI::CheckedTransformer(formats));
  command.add_option("--out", arguments.out,
                     "file, compressed if it ends in .gz or .zst; - is stdout (default)");
}

void AddCsvOptions(CLI::App& command, CsvOptions& csv) {
  CLI::Option* file = command.add_option("--csv", csv.path,
                                         "a CSV file with a header, plain, .gz or .zst; - is "
                                         "stdin. All columns are features but those "
                                         "named below");
  file->group(kCsvGroup)->excludes(command.get_option("--dimension"));
  file->excludes(command.get_option("--drift"));
  file->excludes(command.get_option("--classes"))->excludes(command.get_option("--weights"));
  const auto add = [&](const char* name, auto& value, const char* what) {
    return command.add_option(name, value, what)->group(kCsvGroup)->needs(file);
  };
  add("--label", csv.columns.label, "the column to be learned");
  add("--positive", csv.positive, "y is +1 where the label is this text, and -1 elsewhere");
  add("--label-scale", csv.label_scale,
      "regression: labels are divided by this (1), and must then lie within -1 and 1")
      ->check(CLI::PositiveNumber);
  add("--drop", csv.columns.drop, "a column that is no feature; may be given several times")
      ->allow_extra_args(false);
  add("--subject-column", csv.columns.subject, "the column that says whose the event is")
      ->excludes(command.get_option("--subjects"));
  add("--missing", csv.missing, "what stands for a missing value; without it, one is an error");
  CLI::Option* rows =
      add("--scale-rows", csv.scale_rows,
          "standardise by mean and deviation of the first rows. You declare these rows public; "
          "they "
          "are learned like all others. Nothing is measured on later rows: a scaler that keeps "
          "learning remembers what was deleted")
          ->check(CLI::Range(std::int64_t{2}, std::int64_t{1'000'000}));
  add("--scale", csv.scale_file,
      R"(standardise by a file {"column": {"mean": 0.1, "deviation": 0.2}, ...}. Without this and )"
      R"(--scale-rows, values are used as they are)")
      ->excludes(rows);
  add("--clip", csv.clip, "where standardised values are cut off (3)")
      ->check(CLI::Range(1e-3, 1e6));
}

}  // namespace

Run AddGenerate(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  AddStreamOptions(command, *arguments);
  AddCsvOptions(command, arguments->csv);
  return [arguments] { return RunGenerate(*arguments); };
}

}  // namespace lethe
