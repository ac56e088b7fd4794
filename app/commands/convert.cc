#include "app/convert/convert.h"

#include <sys/stat.h>

#include <cstdio>
#include <map>
#include <memory>

#include "app/commands/command.h"
#include "app/progress.h"

namespace lethe {
namespace {

struct Arguments {
  ConvertOptions options;
  std::optional<RecordedForm> to;
  bool float32 = false;
  bool json = false;
};

long long Long(std::int64_t number) { return static_cast<long long>(number); }

void PrintWarnings(const ConvertResult& result) {
  if (result.skipped > 0) {
    std::fprintf(stderr, "left out: %lld records that could not be converted\n",
                 Long(result.skipped));
  }
  if (result.skipped_requests > 0) {
    std::fprintf(stderr,
                 "warning: %lld of them are deletion requests, which are lost in the copy\n",
                 Long(result.skipped_requests));
  }
  if (result.inexact_values > 0) {
    std::fprintf(stderr,
                 "warning: float32 changed %lld numbers in %lld records; a norm at the bound may "
                 "have come to lie above it\n",
                 Long(result.inexact_values), Long(result.inexact_records));
  }
}

// Fills in what the command line leaves open. kUsage for a contradiction.
Status Complete(Arguments& arguments) {
  ConvertOptions& options = arguments.options;
  const auto form = arguments.to ? arguments.to : FormOfName(options.out);
  if (!form) {
    return {ErrorCode::kUsage, options.out +
                                   " does not say the form by its ending (.ndjson, .lethe, also "
                                   ".gz or .zst); --to json or --to binary does"};
  }
  options.to = *form;
  if (arguments.float32 && options.to != RecordedForm::kBinary) {
    return {ErrorCode::kUsage, "--float32 is for the binary form only"};
  }
  if (arguments.float32) options.width = NumberWidth::kFloat32;
  if (arguments.json && options.out == "-") {
    return {ErrorCode::kUsage, "--json and OUT - both want the standard output"};
  }
  return Status::Ok();
}

Status RunConvert(Arguments& arguments) {
  LETHE_RETURN_IF_ERROR(Complete(arguments));
  ConvertOptions& options = arguments.options;
  options.show_progress = StderrIsTerminal();
  umask(0077);  // a stream is personal data
  const auto result = Convert(options);
  if (!result.ok()) return result.status();
  PrintWarnings(result.value());
  if (arguments.json) {
    std::printf("%s\n", ConvertJson(options, result.value()).c_str());
  } else {
    std::fprintf(stderr, "%lld records written to %s\n", Long(result.value().records),
                 options.out == "-" ? "the standard output" : options.out.c_str());
  }
  return Status::Ok();
}

}  // namespace

Run AddConvert(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  ConvertOptions& options = arguments->options;
  const std::map<std::string, RecordedForm> forms{{"json", RecordedForm::kJson},
                                                  {"binary", RecordedForm::kBinary}};
  command.add_option("IN", options.in, "a recorded stream, of any form; - is stdin")->required();
  command.add_option("OUT", options.out, "file, compressed if it ends in .gz or .zst; - is stdout")
      ->required();
  command.add_option("--to", arguments->to, "json or binary; by default what OUT ends in")
      ->transform(CLI::CheckedTransformer(forms));
  command.add_flag("--float32", arguments->float32, "binary: half the size, fewer digits");
  command.add_flag("--skip-bad", options.skip_bad,
                   "leave out records that cannot be converted, instead of stopping");
  command.add_flag("--json", arguments->json, "print the counts as JSON");
  return [arguments] { return RunConvert(*arguments); };
}

}  // namespace lethe
