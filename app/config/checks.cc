#include "app/config/checks.h"

#include <algorithm>

#include "app/config/kinds.h"
#include "app/config/nearest.h"
#include "engine/spec/features.h"

namespace lethe::config {
namespace {

void CheckDimension(const CheckContext& context) {
  const bool dense = context.given.Has("model.dimension");
  const bool hashed = context.given.Has("model.hash_bits");
  const std::string allowed = "exactly one of model.dimension (x) and model.hash_bits (f)";
  if (dense && hashed) {
    context.Report("model.hash_bits", {"model.dimension is given too", allowed});
  } else if (!dense && !hashed) {
    context.Report("model.dimension",
                   {"model.dimension is required, or model.hash_bits for named features", allowed});
  }
}

// The budget has exactly one of the forms {epsilon, delta}, {mu}, {rho}. The default is the first
// form, so a file with another form replaces the default.
void CheckBudget(const CheckContext& context) {
  const std::string path = "forgetting.budget";
  const auto has = [&](const char* key) { return context.given.Has(JoinPath(path, key)); };
  const std::string allowed = "exactly one of {epsilon, delta}, {mu} and {rho}";
  BudgetSpec& budget = context.config.spec.forgetting.budget;
  const BudgetSpec by_default = ForgettingSpec().budget;

  const int forms = (has("epsilon") || has("delta")) + has("mu") + has("rho");
  if (forms > 1) return context.Report(path, {"states more than one promise", allowed});
  if (has("delta") && !has("epsilon")) {
    return context.Report(JoinPath(path, "delta"),
                          {"delta means nothing without epsilon", allowed});
  }
  if (has("mu") || has("rho")) {
    budget.epsilon = budget.delta = std::nullopt;
  } else if (has("epsilon")) {
    if (!budget.delta) budget.delta = by_default.delta;
  } else {
    budget = by_default;
  }
}

void CheckMode(const CheckContext& context) {
  const std::string& mode = context.config.spec.forgetting.mode;
  const std::vector<std::string>& known = context.known_modes;
  if (known.empty() || std::find(known.begin(), known.end(), mode) != known.end()) return;
  context.Report("forgetting.mode", {Quote(mode) + " is not a mode of this build", OneOf(known),
                                     Nearest(mode, known).value_or("")});
}

// What the engine says of the maps, at the key that it names.
void CheckMaps(const CheckContext& context) {
  if (!context.errors.empty()) return;
  const Spec& spec = context.config.spec;
  const Status status = CheckFeatures(spec.model, spec.features);
  if (status.ok()) return;
  const std::size_t colon = status.message().find(": ");
  context.Report(status.message().substr(0, colon), {status.message().substr(colon + 2)});
}

void CheckEta(const CheckContext& context) {
  const LearningSpec& learning = context.config.spec.learning;
  if (!learning.eta || learning.schedule != ScheduleKind::kHorizon) return;
  context.Report("learning.eta", {"schedule horizon computes its step from learning.horizon",
                                  "auto, or schedule: constant"});
}

// Receipts or dead letters in the source topic would be read as events.
void CheckTopicsDiffer(const CheckContext& context) {
  const Config& config = context.config;
  const std::pair<const char*, std::optional<std::string>> topics[] = {
      {"source.kafka.topic", config.spec.topic},
      {"publish.receipts_topic", config.publish.receipts_topic},
      {"publish.models_topic", config.publish.models_topic},
      {"dead_letter.topic", config.dead_letter.topic},
  };
  for (const auto& [path, topic] : topics) {
    for (const auto& [earlier_path, earlier] : topics) {
      if (path == earlier_path) break;
      if (!topic || topic != earlier) continue;
      context.Report(path, {Quote(*topic) + " is the topic of " + earlier_path + " too",
                            "a topic of its own"});
      break;
    }
  }
}

void CheckSasl(const CheckContext& context) {
  const std::string path = "source.kafka.security";
  if (context.errors.Has(JoinPath(path, "protocol"))) return;
  const SecurityConfig& security = context.config.source.kafka.security;
  const auto has = [&](const char* key) { return context.given.Has(JoinPath(path, key)); };
  const bool sasl = security.protocol && security.protocol->starts_with("sasl_");
  if (sasl && !has("mechanism")) {
    context.Report(JoinPath(path, "mechanism"), {"required with protocol " + *security.protocol});
  }
  const std::string mechanism = security.mechanism.value_or("");
  const bool by_password = mechanism == "PLAIN" || mechanism.starts_with("SCRAM-");
  for (const char* key : {"mechanism", "username", "password_file"}) {
    if (has(key) && !sasl) {
      context.Report(JoinPath(path, key), {"has no effect without a SASL protocol",
                                           "protocol: sasl_ssl or sasl_plaintext with it"});
    } else if (sasl && by_password && !has(key)) {
      context.Report(JoinPath(path, key), {"required with mechanism " + mechanism});
    }
  }
}

void CheckTls(const CheckContext& context) {
  const std::string path = "source.kafka.security";
  if (context.errors.Has(JoinPath(path, "protocol"))) return;
  const SecurityConfig& security = context.config.source.kafka.security;
  const auto has = [&](const char* key) { return context.given.Has(JoinPath(path, key)); };
  const bool tls = security.protocol && security.protocol->ends_with("ssl");
  for (const char* key : {"ca", "certificate", "key"}) {
    if (!has(key) || tls) continue;
    context.Report(JoinPath(path, key),
                   {"has no effect without TLS", "protocol: ssl or sasl_ssl with it"});
  }
  if (has("certificate") != has("key")) {
    const std::string given = has("key") ? "key" : "certificate";
    const std::string missing = has("key") ? "certificate" : "key";
    context.Report(JoinPath(path, given), {"is given without " + missing, "both or neither"});
  }
}

using Check = void (*)(const CheckContext&);
constexpr Check kChecks[] = {
    CheckDimension,    CheckBudget, CheckMode, CheckEta,
    CheckTopicsDiffer, CheckSasl,   CheckTls,  CheckMaps,
};

}  // namespace

void Given::Add(const std::string& path, int line, bool has_value) {
  entries_[path] = {line, has_value};
}

bool Given::Has(const std::string& path) const {
  const auto found = entries_.find(path);
  return found != entries_.end() && found->second.has_value;
}

int Given::Line(std::string path) const {
  for (;;) {
    const auto found = entries_.find(path);
    if (found != entries_.end()) return found->second.line;
    if (path.empty()) return 1;
    const std::size_t dot = path.rfind('.');
    path.resize(dot == std::string::npos ? 0 : dot);
  }
}

void CheckContext::Report(const std::string& path, Problem problem) const {
  if (errors.Has(path)) return;
  Place{errors, path, given.Line(path)}.Report(std::move(problem));
}

void RunChecks(const CheckContext& context) {
  for (Check check : kChecks) check(context);
}

}  // namespace lethe::config
