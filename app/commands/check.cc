#include <cmath>
#include <cstdio>
#include <memory>

#include "app/commands/command.h"
#include "app/commands/load.h"
#include "app/config/schema.h"
#include "app/plan/forecast.h"
#include "app/plan/recommendation.h"
#include "app/plan/retention_room.h"
#include "app/plan/rewind_forecast.h"
#include "app/run/connection.h"
#include "app/topics/online_check.h"
#include "engine/base/elementary.h"
#include "engine/base/json.h"
#include "engine/privacy/horizon.h"
#include "engine/shard/config_warnings.h"
#include "engine/shard/receipt_text.h"

namespace lethe {
namespace {

struct Arguments {
  std::string file;
  bool schema = false;
  bool online = false;
  bool json = false;
};

// A warning if marks of released models have no compacted topic. Only modes that draw at random
// while they learn write marks.
std::optional<std::string> MarksWarning(const Config& config, const Plan& plan) {
  if (!plan.mode->draws_while_learning || config.publish.models_topic) return std::nullopt;
  const std::string mode = "mode " + plan.spec.forgetting.mode + " draws at random while it learns";
  if (config.publish.receipts_topic) {
    return mode +
           ": each release, at most one a second, adds a mark to publish.receipts_topic, which "
           "keeps them all; publish.models_topic, compacted, would keep the last one";
  }
  return mode +
         ", and without publish.models_topic or publish.receipts_topic nothing outside of the "
         "state knows which versions were released: an old copy of the state would release other "
         "models under the same versions";
}

std::vector<std::string> AllWarnings(const Config& config, const Plan& plan) {
  std::vector<std::string> warnings = Warnings(plan);
  const RetentionRoom room = FindRetentionRoom(plan, config.state.path);
  for (std::string& warning : RetentionWarnings(plan, room)) warnings.push_back(std::move(warning));
  if (auto warning = ListenWarning(config.http)) warnings.push_back(*std::move(warning));
  if (auto warning = MarksWarning(config, plan)) warnings.push_back(*std::move(warning));
  return warnings;
}

bool KeepsWindow(const Plan& plan) {
  return plan.spec.forgetting.mode == "rewind" || plan.spec.forgetting.mode == "retrain";
}

// Example numbers of partitions, for a promise that depends on the topic.
constexpr std::int64_t kForExample[] = {1, 4, 16};

void PrintPromise(const Plan& plan) {
  if (plan.mode->is_exact) {
    std::printf(
        "  promise     exact: models are those of a run that never learned the deleted events\n");
    return;
  }
  std::printf(
      "  promise     epsilon %.6g at delta %.3g (mu %.6g, rho %.6g): an attacker's best "
      "guess is right at most %.2f%% of the time\n",
      plan.served.epsilon, plan.served.delta, plan.served.mu, plan.served.rho,
      std::ceil(5000 * (1 + plan.served.advantage)) / 100);
}

// Prints what the figures of the promise cover.
void PrintScope(const Plan& plan, bool is_online) {
  if (plan.mode->is_exact) return;
  const bool joint = plan.spec.forgetting.guarantee == Guarantee::kJoint;
  if (!joint) {
    std::printf(
        "              to a person whose events are in one partition; in k of them mu sqrt(k)\n");
    return;
  }
  if (is_online) {
    std::printf("              of all that %lld shards together serve; of each shard mu %.6g\n",
                static_cast<long long>(plan.shards), plan.promise.mu);
    return;
  }
  const bool is_divided = plan.spec.forgetting.guarantee_scope == GuaranteeScope::kFleet;
  std::printf("%s", is_divided ? "              of all that is served; each shard keeps its part:"
                               : "              of each shard; of all that is served:");
  for (const std::int64_t shards : kForExample) {
    const auto other = Plan::Make(plan.spec, shards);
    if (!other.ok()) continue;
    std::printf("%s mu %.4g with %lld", shards == kForExample[0] ? "" : ",",
                is_divided ? other.value().promise.mu : other.value().served.mu,
                static_cast<long long>(shards));
  }
  std::printf(" partitions\n");
}

// Prints what mode rewind retains, what decided that, and what it costs.
void PrintRetention(const Config& config, const Plan& plan) {
  if (!KeepsWindow(plan)) return;
  const std::string retention = RetentionInWords(plan, FindRetentionRoom(plan, config.state.path));
  std::printf("  retention   %s\n", retention.empty() ? "all: nothing expires" : retention.c_str());
  const RewindForecast rewind = ForecastRewind(plan.spec, kDefaultEvents);
  const std::string reason = ReasonText(rewind);
  if (!reason.empty()) std::printf("              the window is %s\n", reason.c_str());
  const std::string memory = UnitText(rewind.bytes, "B");
  if (rewind.window.events > 0) {
    std::printf("  cost        at most %s of each shard; ", memory.c_str());
  } else {
    std::printf("  cost        with %lld events: %s; ", static_cast<long long>(rewind.length),
                memory.c_str());
  }
  std::printf("%s\n", CostSentence(rewind).c_str());
}

// What mode passive keeps of each event, and for how long.
void PrintMemory(const Plan& plan) {
  if (plan.spec.forgetting.mode != "passive") return;
  const auto horizon = Horizon::Of(plan.spec, plan.constants, plan.schedule);
  if (!horizon.ok()) return;
  const Horizon& h = horizon.value();
  if (h.period == 0) {
    std::printf("  memory      grows with the stream, about 40 bytes for each event: %s\n", h.why);
  } else if (h.fades == 0) {
    std::printf(
        "  memory      an event is dropped once it has faded (47 half-lives); every draw "
        "covers what was dropped\n");
  } else {
    std::printf(
        "  memory      an event fades within %lld events, and at most %lld are known one by "
        "one; every draw covers what was dropped\n",
        static_cast<long long>(h.fades), static_cast<long long>(h.known()));
  }
}

// The step size late in a stream, and what it does to the memory of the model.
constexpr std::int64_t kLate = 100'000;

void PrintStep(const Plan& plan) {
  const LearningSpec& learning = plan.spec.learning;
  const std::string eta = learning.eta ? ToText(*learning.eta) : "auto";
  if (!plan.schedule.is_public()) {
    const bool is_per_feature = learning.update != UpdateKind::kSgd;
    std::printf("  steps       %s (learning.eta %s, the knob of accuracy: lethe tune finds one)\n",
                is_per_feature ? (std::string(Name(learning.update)) + ", per feature").c_str()
                               : Name(learning.schedule),
                eta.c_str());
    return;
  }
  const double step = plan.schedule.Step(kLate);
  const double contraction = Contraction(plan.constants, step);
  std::printf(
      "  steps       %.3g after %lld events (learning.eta %s, the knob of accuracy: lethe tune "
      "finds "
      "one)\n",
      step, static_cast<long long>(kLate), eta.c_str());
  if (!(contraction < 1)) return;
  std::printf("              half of an event's influence is gone after %.3g events\n",
              elementary::Log(0.5) / elementary::Log(contraction));
}

void PrintText(const Arguments& arguments, const Config& config, const Plan& plan) {
  const auto why_not = plan.WhyNotCertified();
  const Constants& c = plan.constants;
  std::printf("%s: ok\n", arguments.file.c_str());
  std::printf("  constants   G %.6g  L %.6g  beta %.6g  lambda %.6g  radius %.6g\n", c.G, c.L,
              c.beta, c.mu, c.radius);
  PrintStep(plan);
  PrintPromise(plan);
  PrintScope(plan, arguments.online);
  PrintRetention(config, plan);
  PrintMemory(plan);
  std::printf("  certified   %s\n", why_not.empty() ? "yes" : "no");
  for (const std::string& reason : why_not) std::printf("              - %s\n", reason.c_str());
  for (const std::string& line : NotCoveredOf(plan.spec)) {
    std::printf("  not covered %s\n", line.c_str());
  }
  if (const Status run = plan.CheckRun(); !run.ok()) {
    std::printf("  warning     lethe run refuses this: %s\n", run.message().c_str());
  }
  for (const std::string& warning : AllWarnings(config, plan)) {
    std::printf("  warning     %s\n", warning.c_str());
  }
}

void PrintFindings(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    std::printf("  %-10s  topic %s: %s\n", Name(finding.level), finding.topic.c_str(),
                finding.what.c_str());
  }
}

void WriteFindings(const std::vector<Finding>& findings, JsonWriter& json) {
  json.Key("online").BeginArray();
  for (const Finding& finding : findings) {
    json.BeginObject().Field("level", Name(finding.level)).Field("topic", finding.topic);
    json.Field("what", finding.what).EndObject();
  }
  json.EndArray();
}

void WritePromise(const Plan& plan, JsonWriter& json) {
  json.Key("promise").BeginObject().Field("mu", plan.served.mu).Field("rho", plan.served.rho);
  json.Field("epsilon", plan.served.epsilon).Field("delta", plan.served.delta);
  json.Field("advantage", plan.served.advantage).Field("shards", plan.shards);
  json.Field("shard_mu", plan.promise.mu).Key("by_shards").BeginArray();
  for (const std::int64_t shards : kForExample) {
    const auto other = Plan::Make(plan.spec, shards);
    if (!other.ok()) continue;
    json.BeginObject().Field("shards", shards).Field("mu", other.value().served.mu);
    json.Field("shard_mu", other.value().promise.mu).EndObject();
  }
  json.EndArray().EndObject();
}

// What expires: in events, or in milliseconds of event time.
void WriteRetention(const Config& config, const Plan& plan, JsonWriter& json) {
  const RetentionRoom room = FindRetentionRoom(plan, config.state.path);
  if (room.window == 0 && room.window_ms == 0) return;
  json.Key("retention").BeginObject();
  if (room.window > 0) {
    json.Field("events", 2 * room.window).Field("window", room.window);
    json.Field("bytes", room.bytes());
  } else {
    json.Field("event_time_ms", plan.spec.forgetting.retention.time_ms);
    json.Field("window_ms", room.window_ms);
  }
  json.EndObject();
}

void PrintJson(const LoadReport& report, const Result<Plan>* plan,
               const std::vector<Finding>* findings = nullptr) {
  JsonWriter json;
  const bool ok = plan != nullptr && plan->ok();
  json.BeginObject().Field("ok", ok).Key("errors").BeginArray();
  for (const ConfigError& error : report.errors) {
    json.BeginObject().Field("file", error.file).Field("line", std::int64_t{error.line});
    json.Field("path", error.path).Field("problem", error.problem);
    json.Field("message", ToString(error)).EndObject();
  }
  if (plan != nullptr && !plan->ok()) {
    json.BeginObject().Field("message", plan->status().message()).EndObject();
  }
  json.EndArray();
  if (ok) {
    const Plan& p = plan->value();
    json.Key("constants").BeginObject().Field("G", p.constants.G).Field("L", p.constants.L);
    json.Field("beta", p.constants.beta).Field("mu", p.constants.mu);
    json.Field("radius", p.constants.radius).EndObject();
    WritePromise(p, json);
    WriteRetention(*report.config, p, json);
    json.Key("rewind");
    if (KeepsWindow(p)) {
      WriteRewind(ForecastRewind(p.spec, kDefaultEvents), json);
    } else {
      json.Null();
    }
    if (p.spec.forgetting.mode == "passive") {
      const auto horizon = Horizon::Of(p.spec, p.constants, p.schedule);
      json.Key("known_events");
      const bool is_bounded = horizon.ok() && horizon.value().fades > 0;
      is_bounded ? json.Value(horizon.value().known()) : json.Null();
    }
    json.Field("certified", p.WhyNotCertified().empty()).Key("why_not").BeginArray();
    for (const std::string& reason : p.WhyNotCertified()) json.Value(reason);
    json.EndArray().Key("not_covered").BeginArray();
    for (const std::string& line : NotCoveredOf(p.spec)) json.Value(line);
    json.EndArray().Key("warnings").BeginArray();
    for (const std::string& warning : AllWarnings(*report.config, p)) json.Value(warning);
    json.EndArray();
  }
  if (findings != nullptr) WriteFindings(*findings, json);
  std::printf("%s\n", json.EndObject().text().c_str());
}

Status Verdict(const std::vector<Finding>& findings) {
  std::size_t broken = 0;
  for (const Finding& finding : findings) broken += finding.level == Finding::Level::kBroken;
  if (broken == 0) return Status::Ok();
  return {ErrorCode::kCheckFailed,
          broken == 1 ? "one thing in Kafka would break what is promised"
                      : std::to_string(broken) + " things in Kafka would break what is promised"};
}

Status RunCheck(const Arguments& arguments) {
  if (arguments.schema) {
    std::fputs(SchemaJson().c_str(), stdout);
    return Status::Ok();
  }
  if (arguments.file.empty()) return {ErrorCode::kUsage, "check: name a configuration file"};
  const LoadReport report = CheckConfigFile(arguments.file, {.known_modes = ModeNames()});
  if (!report.config) {
    if (arguments.json) PrintJson(report, nullptr);
    return ToStatus(report.errors);
  }
  const Status kafka = CheckKafkaConfig(report.config->source.kafka);
  if (!kafka.ok()) return {kafka.code(), arguments.file + ": " + kafka.message()};
  const Result<Plan> plan = MakePlan(*report.config, arguments.file);
  if (!arguments.online || !plan.ok()) {
    if (arguments.json) PrintJson(report, &plan);
    if (!plan.ok()) return plan.status();
    if (!arguments.json) PrintText(arguments, *report.config, plan.value());
    return Status::Ok();
  }
  auto access = TopicAccess::Open(report.config->source.kafka);
  if (!access.ok()) return access.status();
  const auto findings = CheckOnline(*report.config, *access.value());
  if (!findings.ok()) return findings.status();
  const auto partitions =
      access.value()->cluster().PartitionCount(report.config->spec.topic, kBrokerTimeout);
  if (!partitions.ok()) return partitions.status();
  const Result<Plan> here =
      MakePlan(*report.config, arguments.file, partitions.value().value_or(1));
  if (!here.ok()) return here.status();
  if (arguments.json) {
    PrintJson(report, &here, &findings.value());
  } else {
    PrintText(arguments, *report.config, here.value());
    PrintFindings(findings.value());
  }
  return Verdict(findings.value());
}

}  // namespace

Run AddCheck(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  command.add_option("FILE", arguments->file, "the configuration, in YAML");
  command.add_flag("--schema", arguments->schema, "print the JSON Schema for editors and stop");
  command.add_flag(
      "--online", arguments->online,
      "look at the topics too: exit code 1 if something there would break the promise");
  command.add_flag("--json", arguments->json, "print the result as JSON");
  return [arguments] { return RunCheck(*arguments); };
}

}  // namespace lethe
