#include <cmath>
#include <cstdio>
#include <memory>

#include "app/commands/command.h"
#include "app/commands/load.h"
#include "app/config/schema.h"
#include "app/run/connection.h"
#include "app/topics/online_check.h"
#include "engine/base/json.h"
#include "engine/shard/config_warnings.h"

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
  if (auto warning = ListenWarning(config.http)) warnings.push_back(*std::move(warning));
  if (auto warning = MarksWarning(config, plan)) warnings.push_back(*std::move(warning));
  return warnings;
}

// Example numbers of partitions, for a promise that depends on the topic.
constexpr std::int64_t kForExample[] = {1, 4, 16};

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

void PrintText(const Arguments& arguments, const Config& config, const Plan& plan) {
  const auto why_not = plan.WhyNotCertified();
  const Constants& c = plan.constants;
  std::printf("%s: ok\n", arguments.file.c_str());
  std::printf("  constants   G %.6g  L %.6g  beta %.6g  mu %.6g  radius %.6g\n", c.G, c.L, c.beta,
              c.mu, c.radius);
  std::printf(
      "  promise     epsilon %.6g at delta %.3g (mu %.6g, rho %.6g): an attacker's best "
      "guess is right at most %.2f%% of the time\n",
      plan.served.epsilon, plan.served.delta, plan.served.mu, plan.served.rho,
      std::ceil(5000 * (1 + plan.served.advantage)) / 100);
  PrintScope(plan, arguments.online);
  std::printf("  certified   %s\n", why_not.empty() ? "yes" : "no");
  for (const std::string& reason : why_not) std::printf("              - %s\n", reason.c_str());
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
    json.Field("certified", p.WhyNotCertified().empty()).Key("why_not").BeginArray();
    for (const std::string& reason : p.WhyNotCertified()) json.Value(reason);
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
