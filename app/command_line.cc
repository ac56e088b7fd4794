#include "app/command_line.h"

#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/command.h"
#include "app/config/nearest.h"
#include "app/exit_code.h"
#include "app/log.h"

namespace lethe {
namespace {

struct CommandEntry {
  const char* name;
  const char* summary;
  const char* examples;
  Run (*add)(CLI::App& command);
};

constexpr CommandEntry kCommands[] = {
    {"demo", "Everything in one process: a broker, people, the daemon and its page in the browser",
     "  lethe demo\n"
     "  lethe demo --port 0 --seconds 60",
     AddDemo},
    {"generate", "Write a stream of learn and delete events, synthetic or from a CSV file",
     "  lethe generate --events 20000 --out events.ndjson.gz\n"
     "  lethe generate --task regression --drift 1 --deletions 0.02 --pattern recent | head\n"
     "  lethe generate --csv data.csv.gz --label class --positive 1 --scale-rows 500 --out "
     "events.ndjson.gz",
     AddGenerate},
    {"tune", "Find settings for a recorded stream by trying many, and write a configuration",
     "  lethe tune events.ndjson.gz --out lethe.yaml\n"
     "  lethe tune events.ndjson.gz --config base.yaml --public-rows 10000 --runs 200 --json",
     AddTune},
    {"replay", "Run a recorded stream: learn, forget, write receipts",
     "  lethe replay events.ndjson.gz --config configs/quickstart.yaml --out results\n"
     "  zcat events.ndjson.gz | lethe replay - --config configs/quickstart.yaml --json",
     AddReplay},
    {"run", "Learn and forget from Kafka, with durable state, until it is stopped",
     "  lethe run --config configs/production.yaml\n"
     "  lethe run --config lethe.yaml --fail-fast",
     AddRun},
    {"record", "Write a topic, or a part of it, to a file that replay reads",
     "  lethe record --config lethe.yaml --out events.ndjson.zst\n"
     "  lethe record --config lethe.yaml --partition 3 --from 1000 --to 2000 --out part.lethe",
     AddRecord},
    {"forget", "Ask for a deletion, through Kafka, where the events of that person are",
     "  lethe forget user-7 --request rtbf-2291 --config lethe.yaml\n"
     "  lethe forget user-7 --config lethe.yaml --wait\n"
     "  lethe forget --id e-81 --config lethe.yaml --json",
     AddForget},
    {"compare", "Run every way to forget on one stream, side by side",
     "  lethe compare events.ndjson.gz --config configs/quickstart.yaml\n"
     "  lethe compare events.ndjson.gz --config configs/quickstart.yaml --modes none,passive "
     "--json",
     AddCompare},
    {"convert", "Write a recorded stream in another form: JSON, or compact binary",
     "  lethe convert events.ndjson.gz events.lethe\n"
     "  lethe convert events.lethe - --to json | head",
     AddConvert},
    {"check", "Check a configuration without running it, and say what it promises",
     "  lethe check configs/quickstart.yaml\n"
     "  lethe check --online configs/production.yaml\n"
     "  lethe check --schema > lethe.schema.json",
     AddCheck},
    {"plan", "Say before a run what deletions will cost in noise and work, and what to choose",
     "  lethe plan configs/quickstart.yaml\n"
     "  lethe plan configs/quickstart.yaml --events 20000 --json",
     AddPlan},
    {"config", "Print the configuration in force: defaults filled in, secrets masked",
     "  lethe config configs/quickstart.yaml", AddConfig},
    {"state", "Look at the state of a daemon: sizes, snapshots, damage; wipe a shard",
     "  lethe state list /var/lib/lethe\n"
     "  lethe state verify /var/lib/lethe",
     AddState},
    {"model", "Export a model as JSON or ONNX; average those of several processes",
     "  lethe model export http://127.0.0.1:9464 --out model.onnx\n"
     "  lethe model export --config lethe.yaml > model.json\n"
     "  lethe model merge model-0.json model-1.json\n"
     "  lethe model merge model-*.json --json > model.json",
     AddModel},
    {"dead-letters", "What was refused, by reason, and where it stood",
     "  lethe dead-letters list --config lethe.yaml", AddDeadLetters},
    {"receipts", "List, show, export and verify receipts, and the key that signs them",
     "  lethe receipts list results\n"
     "  lethe receipts show --request r-17 results\n"
     "  lethe receipts verify results\n"
     "  lethe receipts export /var/lib/lethe --out receipts.dsse\n"
     "  lethe receipts verify receipts.dsse --key keys.json",
     AddReceipts},
};

// A formatter that prints the examples of a command first, because most people look for them. CLI11
// has no place for examples, so they are in the footer.
class ExamplesFirst : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    return (app->get_footer().empty() ? "" : "Examples:\n" + app->get_footer() + "\n\n") +
           CLI::Formatter::make_description(app);
  }
  std::string make_footer(const CLI::App*) const override { return {}; }
};

int UsageError(const std::string& message) {
  std::fprintf(stderr, "lethe: %s\n", message.c_str());
  return ExitCode(ErrorCode::kUsage);
}

// "; did you mean X?" for an unknown word, or nothing.
std::string Suggestion(const std::string& word, const std::vector<std::string>& known) {
  const auto nearest = Nearest(word, known);
  return nearest ? "; did you mean " + *nearest + "?" : std::string();
}

std::vector<std::string> OptionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The innermost command on the command line, which a mistyped option belongs to.
const CLI::App& Innermost(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : Innermost(*parsed.back());
}

// The first unknown word on the command line. It explains more than the argument that seems to be
// missing because of it.
std::string UnknownWord(const CLI::App& app, const CLI::App& command) {
  const std::vector<std::string> extras = app.remaining(true);
  if (extras.empty()) return {};
  const std::string& word = extras.front();
  if (word.starts_with("-"))
    return "unknown option " + word + Suggestion(word, OptionNames(command));
  std::vector<std::string> known;
  for (const CLI::App* sub : command.get_subcommands({})) known.push_back(sub->get_name());
  return "unknown word " + word + Suggestion(word, known);
}

int ParseError(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = Innermost(app);
  std::string message = UnknownWord(app, command);
  if (message.empty()) message = error.what();
  const std::string place = &command == &app ? "" : command.get_name() + " ";
  return UsageError(message + " (lethe " + place + "--help shows how)");
}

}  // namespace

void AddLogFormat(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--log-format",
          [](const std::string& name) {
            SetLogFormat(name == "json" ? LogFormat::kJson : LogFormat::kLogfmt);
          },
          "how the talk on stderr is written: logfmt, or json (logfmt)")
      ->check(CLI::IsMember({"logfmt", "json"}));
}

int RunCommandLine(int argc, char** argv) {
  CLI::App app(
      "Lethe learns online from a stream of events, forgets on request, and writes a receipt that\n"
      "states what is promised.\n\n"
      "Exit codes: 0 ok, 1 a check does not hold, 64 usage, 65 input, 69 brokers, 70 internal,\n"
      "74 disk, 78 configuration, 130 interrupted.",
      "lethe");
  app.formatter(std::make_shared<ExamplesFirst>());
  app.footer(
      "  lethe demo\n"
      "  lethe generate --events 20000 --out events.ndjson.gz\n"
      "  lethe replay events.ndjson.gz --config configs/quickstart.yaml --out results\n"
      "  lethe receipts verify results");
  app.set_version_flag("--version", std::string("lethe ") + LETHE_VERSION);
  app.require_subcommand(1);

  Run run;
  for (const CommandEntry& entry : kCommands) {
    CLI::App* command = app.add_subcommand(entry.name, entry.summary);
    command->footer(entry.examples);
    Run action = entry.add(*command);
    command->final_callback([&run, action] { run = action; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return ParseError(app, error);
  }
  const Status status = run();
  if (!status.ok() && CurrentLogFormat() == LogFormat::kJson) {
    Log(LogLevel::kError, status.message());
  } else if (!status.ok()) {
    std::fprintf(stderr, "lethe: %s\n", status.message().c_str());
  }
  return ExitCode(status.code());
}

}  // namespace lethe
