#include "engine/spec/spec.h"

#include "engine/base/check.h"
#include "engine/base/json.h"
#include "engine/spec/features.h"
#include "engine/spec/retention.h"

namespace lethe {
namespace {

void WriteOptional(JsonWriter& json, const char* key, const std::optional<double>& value) {
  if (value) json.Field(key, *value);
}

void WriteWait(JsonWriter& json, const char* key, const Wait& wait) {
  json.Key(key).BeginObject();
  json.Field("events", wait.events).Field("event_time_ms", wait.event_time_ms);
  json.EndObject();
}

void WriteCount(JsonWriter& json, const char* key, const std::optional<std::int64_t>& count,
                const char* otherwise) {
  json.Key(key);
  count ? json.Value(*count) : json.Value(otherwise);
}

void WriteModel(JsonWriter& json, const ModelSpec& model) {
  json.Key("model").BeginObject().Field("loss", Name(model.loss));
  model.hash_bits ? json.Field("hash_bits", *model.hash_bits)
                  : json.Field("dimension", model.dimension);
  json.Field("bias", model.bias).Field("feature_norm", model.feature_norm);
  json.Field("oversized", Name(model.oversized)).Field("label_bound", model.label_bound);
  json.Field("huber_width", model.huber_width).Field("lambda", model.lambda);
  json.Field("radius", model.radius);
  // The defaults are not written, so that states from before these keys existed stay valid.
  if (model.class_names.empty()) {
    if (model.classes != 0) json.Field("classes", model.classes);
  } else {
    json.Key("classes").BeginArray();
    for (const std::string& name : model.class_names) json.Value(name);
    json.EndArray();
  }
  if (model.weight_bound != 1) json.Field("weight_bound", model.weight_bound);
  json.EndObject();
}

void WriteLearning(JsonWriter& json, const LearningSpec& learning) {
  json.Key("learning").BeginObject();
  // Not written for sgd, so that states from before this key existed stay valid.
  if (learning.update != UpdateKind::kSgd) json.Field("update", Name(learning.update));
  json.Field("schedule", Name(learning.schedule)).Key("eta");
  learning.eta ? json.Value(*learning.eta) : json.Value("auto");
  json.Key("horizon").BeginObject().Field("events", learning.horizon.events);
  json.Field("deletions", learning.horizon.deletions).EndObject();
  // The default is not written, so that states from before this key existed stay valid.
  if (learning.tuned_on != TunedOn::kNone) json.Field("tuned_on", Name(learning.tuned_on));
  json.EndObject();
}

// Writes the keys of one family of modes, only if the mode is of that family. So a new key of one
// family does not invalidate the states of other modes.
void WriteOwnKeys(JsonWriter& json, const ForgettingSpec& forgetting) {
  if (UsesErm(forgetting.mode)) {
    json.Key("erm").BeginObject().Field("warmup", forgetting.erm.warmup);
    json.Field("refit_every", forgetting.erm.refit_every).Field("steps", forgetting.erm.steps);
    json.EndObject();
  }
  // In mode passive the defaults are not written, so that states from before these keys existed
  // stay valid.
  if (forgetting.mode == "rewind" ||
      (forgetting.mode == "passive" && !forgetting.retention.is_auto())) {
    json.Key("retention");
    forgetting.retention.events > 0 ? json.Value(forgetting.retention.events)
                                    : json.Value(ToText(forgetting.retention));
  }
  if (forgetting.mode == "passive" && !forgetting.shrink.is_auto()) {
    json.Key("shrink");
    forgetting.shrink.off ? json.Value("off") : json.Value(forgetting.shrink.norm);
  }
  if (forgetting.mode == "certified_removal") {
    json.Field("variant", Name(forgetting.variant)).Key("removal").BeginObject();
    json.Field("solver", Name(forgetting.removal.solver));
    json.Field("perturbation", forgetting.removal.perturbation).EndObject();
  }
  if (forgetting.mode.starts_with("noisy")) {
    json.Key("noisy").BeginObject();
    WriteOptional(json, "mu", forgetting.noisy.mu);
    json.Field("requests", Name(forgetting.noisy.requests)).EndObject();
  }
  if (forgetting.mode == "online_dp") {
    json.Key("online_dp").BeginObject().Field("deletions", forgetting.online_dp.deletions);
    WriteCount(json, "events", forgetting.online_dp.events, "unknown");
    json.EndObject();
  }
  if (forgetting.mode == "fats") {
    const FatsSpec& fats = forgetting.fats;
    json.Key("fats").BeginObject().Field("client", Name(fats.client));
    json.Field("clients", fats.clients).Field("draws", fats.draws);
    json.Field("local_steps", fats.local_steps).Field("batch", fats.batch);
    json.Field("round_every", fats.round_every).EndObject();
  }
}

void WriteForgetting(JsonWriter& json, const ForgettingSpec& forgetting) {
  json.Key("forgetting").BeginObject().Field("mode", forgetting.mode);
  json.Field("guarantee", Name(forgetting.guarantee));
  // The default is not written, so that states from before this key existed stay valid.
  if (forgetting.guarantee_scope != GuaranteeScope::kFleet) {
    json.Field("guarantee_scope", Name(forgetting.guarantee_scope));
  }
  json.Key("budget").BeginObject();
  WriteOptional(json, "epsilon", forgetting.budget.epsilon);
  WriteOptional(json, "delta", forgetting.budget.delta);
  WriteOptional(json, "mu", forgetting.budget.mu);
  WriteOptional(json, "rho", forgetting.budget.rho);
  json.EndObject().Field("split", Name(forgetting.split));
  json.Field("calibration", Name(forgetting.calibration));
  WriteWait(json, "batch_window", forgetting.batch_window);
  WriteWait(json, "deadline", forgetting.deadline);
  json.Field("target_sigma", forgetting.target_sigma).Key("active").BeginObject();
  json.Field("variant", Name(forgetting.active.variant));
  json.Field("tolerance", forgetting.active.tolerance);
  WriteCount(json, "steps", forgetting.active.steps, "auto");
  WriteCount(json, "window", forgetting.active.window, "all");
  json.EndObject();
  WriteOwnKeys(json, forgetting);
  json.EndObject();
}

}  // namespace

std::string CertificatePart(const Spec& spec) {
  JsonWriter json;
  json.BeginObject();
  WriteModel(json, spec.model);
  // Not written without maps, so that states from before this key existed stay valid.
  if (HasMaps(spec.features)) {
    WriteFeatures(json.Key("features"), spec.features, ScaleForm::kHash);
  }
  WriteLearning(json, spec.learning);
  WriteForgetting(json, spec.forgetting);
  json.Key("noise").BeginObject().Field("source", Name(spec.noise.source)).EndObject();
  return json.EndObject().text();
}

const char* Name(LossKind kind) {
  switch (kind) {
    case LossKind::kLogistic: return "logistic";
    case LossKind::kSquared: return "squared";
    case LossKind::kHuber: return "huber";
    case LossKind::kSoftmax: return "softmax";
  }
  LETHE_CHECK(false);
}

const char* Name(Oversized kind) { return kind == Oversized::kReject ? "reject" : "rescale"; }

const char* Name(UpdateKind kind) {
  switch (kind) {
    case UpdateKind::kSgd: return "sgd";
    case UpdateKind::kAdagrad: return "adagrad";
    case UpdateKind::kFtrl: return "ftrl";
    case UpdateKind::kNormalised: return "normalised";
  }
  LETHE_CHECK(false);
}

const char* Name(NormaliseKind kind) { return kind == NormaliseKind::kNone ? "none" : "l2"; }

const char* Name(TextFeatures kind) {
  switch (kind) {
    case TextFeatures::kNone: return "none";
    case TextFeatures::kWords: return "words";
    case TextFeatures::kNgrams: return "ngrams";
  }
  LETHE_CHECK(false);
}

const char* Name(TunedOn rows) {
  switch (rows) {
    case TunedOn::kNone: return "none";
    case TunedOn::kPublic: return "public";
    case TunedOn::kPrivate: return "private";
  }
  LETHE_CHECK(false);
}

const char* Name(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::kConstant: return "constant";
    case ScheduleKind::kInverseTime: return "inverse_time";
    case ScheduleKind::kInverseSqrt: return "inverse_sqrt";
    case ScheduleKind::kHorizon: return "horizon";
    case ScheduleKind::kAdaptive: return "adaptive";
  }
  LETHE_CHECK(false);
}

const char* Name(Guarantee guarantee) {
  return guarantee == Guarantee::kJoint ? "joint" : "per_request";
}

const char* Name(GuaranteeScope scope) {
  return scope == GuaranteeScope::kFleet ? "fleet" : "shard";
}

const char* Name(Split split) {
  switch (split) {
    case Split::kCurve: return "curve";
    case Split::kZeta: return "zeta";
    case Split::kHorizon: return "horizon";
  }
  LETHE_CHECK(false);
}

const char* Name(Calibration calibration) {
  switch (calibration) {
    case Calibration::kLedger: return "ledger";
    case Calibration::kPaper: return "paper";
    case Calibration::kRecursion: return "recursion";
  }
  LETHE_CHECK(false);
}

const char* Name(NoiseKind kind) {
  switch (kind) {
    case NoiseKind::kSystem: return "system";
    case NoiseKind::kSeeded: return "seeded";
    case NoiseKind::kDisabled: return "disabled";
  }
  LETHE_CHECK(false);
}

const char* Name(ActiveVariant variant) {
  switch (variant) {
    case ActiveVariant::kSecondOrder: return "second_order";
    case ActiveVariant::kLedger: return "ledger";
    case ActiveVariant::kPaper: return "paper";
    case ActiveVariant::kAlgorithm3: return "algorithm_3";
    case ActiveVariant::kAlgorithm3Paper: return "algorithm_3_paper";
  }
  LETHE_CHECK(false);
}

const char* Name(RemovalVariant variant) {
  return variant == RemovalVariant::kSound ? "sound" : "paper";
}

const char* Name(RemovalSolver solver) {
  return solver == RemovalSolver::kNewton ? "newton" : "chord";
}

const char* Name(Requests requests) {
  return requests == Requests::kOblivious ? "oblivious" : "adaptive";
}

const char* Name(FatsClient client) { return client == FatsClient::kSubject ? "subject" : "index"; }

bool UsesErm(const std::string& mode) {
  return mode.starts_with("d2d_") || mode == "certified_removal" || mode == "noisy_gd";
}

}  // namespace lethe
