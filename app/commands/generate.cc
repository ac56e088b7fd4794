#include <map>
#include <memory>

#include "app/commands/command.h"
#include "app/generate/generator.h"

namespace lethe {
namespace {

struct Arguments {
  GenerateOptions options;
  std::string out = "-";
};

Status RunGenerate(const Arguments& arguments) {
  const GenerateOptions& options = arguments.options;
  if (options.pattern == Pattern::kSubject && options.subjects == 0) {
    return {ErrorCode::kUsage, "--pattern subject needs --subjects above 0"};
  }
  auto out = StreamWriter::Open(arguments.out);
  if (!out.ok()) return out.status();
  LETHE_RETURN_IF_ERROR(Generate(options, *out.value()));
  return out.value()->Close();
}

}  // namespace

Run AddGenerate(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  GenerateOptions& options = arguments->options;
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
  command.add_option("--events", options.events, "learn events (20000)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  command.add_option("--dimension", options.dimension, "features per event (20)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  command.add_option("--drift", options.drift, "0: stationary (default); 1: a right angle")
      ->check(CLI::Range(0.0, 4.0));
  command.add_option("--subjects", options.subjects, "people (1000); 0: events have no subject")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{100'000'000}));
  command.add_option("--deletions", options.deletions, "requests per learn event (0.01)")
      ->check(CLI::Range(0.0, 1.0));
  command.add_option("--pattern", options.pattern,
                     "what is deleted: uniform (default), recent, oldest, burst, or subject")
      ->transform(CLI::CheckedTransformer(patterns));
  command.add_option("--seed", options.seed, "the same seed gives the same stream (1)");
  command.add_option("--format", options.envelopes, "bare (default) or envelopes")
      ->transform(CLI::CheckedTransformer(formats));
  command.add_option("--out", arguments->out,
                     "file, compressed if it ends in .gz or .zst; - is stdout (default)");
  return [arguments] { return RunGenerate(*arguments); };
}

}  // namespace lethe
