#include "engine/plan.h"

#include "engine/admission/feature_hash.h"
#include "engine/base/check.h"
#include "engine/learning/sparse_model.h"
#include "engine/privacy/horizon.h"
#include "engine/privacy/noise.h"
#include "engine/spec/dimension.h"
#include "engine/spec/features.h"

namespace lethe {
namespace {

// Refuses combinations of waits and calibrations that have no meaning or no end.
Status CheckWaiting(const ForgettingSpec& forgetting) {
  if (forgetting.target_sigma > 0 && forgetting.deadline.none() && forgetting.batch_window.none() &&
      forgetting.mode != "active") {
    return {ErrorCode::kConfig,
            "forgetting.target_sigma: a deletion that waits for it could wait for ever; set "
            "forgetting.deadline too"};
  }
  if (forgetting.calibration == Calibration::kPaper &&
      !(forgetting.deadline.none() && forgetting.batch_window.none())) {
    return {ErrorCode::kConfig,
            "forgetting.calibration: paper knows no deadline and no batch_window; remove them"};
  }
  if (forgetting.calibration == Calibration::kRecursion && !forgetting.mode.starts_with("d2d_")) {
    return {ErrorCode::kConfig,
            "forgetting.calibration: recursion belongs to the modes d2d_*; use ledger"};
  }
  return Status::Ok();
}

Status CheckRetention(const ForgettingSpec& forgetting) {
  if (forgetting.mode == "rewind" || forgetting.retention.is_auto()) return Status::Ok();
  if (forgetting.mode == "retrain") {
    return {ErrorCode::kConfig,
            "forgetting.retention: mode retrain retains the whole stream; use mode: rewind"};
  }
  if (forgetting.mode == "passive" && forgetting.retention.time_ms > 0) {
    return {ErrorCode::kConfig,
            "forgetting.retention: mode passive drops events by their number, because influence "
            "fades by steps and not by time; use auto, all or a number of events, or mode: rewind"};
  }
  if (forgetting.mode == "passive" || forgetting.retention.all) return Status::Ok();
  return {ErrorCode::kConfig, "forgetting.retention: mode " + forgetting.mode +
                                  " has no window of events and drops none; use mode: rewind, or "
                                  "remove it"};
}

Status CheckShrink(const ForgettingSpec& forgetting) {
  if (forgetting.mode == "passive" || forgetting.shrink.norm == 0) return Status::Ok();
  return {ErrorCode::kConfig, "forgetting.shrink: mode " + forgetting.mode +
                                  " shrinks nothing; remove the guess of the norm"};
}

// Steps per feature leave the ball and contract nothing that is public.
Status CheckUpdate(const Spec& spec, const ModeEntry& mode) {
  if (spec.learning.update == UpdateKind::kSgd || mode.takes_any_steps) return Status::Ok();
  if (spec.forgetting.mode == "passive") return Status::Ok();  // without a certificate
  return {ErrorCode::kConfig,
          std::string("learning.update: mode ") + mode.name +
              " computes with the contraction of steps that are the same for all weights, and "
              "steps of " +
              Name(spec.learning.update) +
              " have none; use update: sgd, or a mode that forgets exactly with any steps: "
              "rewind, retrain or restart"};
}

std::string ModesThatTakeHashed() {
  std::string names;
  for (const std::string& name : ModeNames()) {
    if (FindMode(name)->takes_hashed) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

Status CheckHashBits(const ModelSpec& model) {
  if (!model.hash_bits || (*model.hash_bits >= 1 && *model.hash_bits <= kMaxHashBits)) {
    return Status::Ok();
  }
  return {ErrorCode::kConfig,
          "model.hash_bits: must be between 1 and " + std::to_string(kMaxHashBits)};
}

Status CheckHashed(const Spec& spec, const Constants& constants, const ModeEntry& mode) {
  if (!IsSparse(spec)) return Status::Ok();
  if (!mode.takes_hashed) {
    return {ErrorCode::kConfig,
            "forgetting.mode: " + std::string(mode.name) +
                " computes on dense features and does not take model.hash_bits; use one of " +
                ModesThatTakeHashed() +
                ", or dense features (model.dimension, or features.fourier)"};
  }
  return SparseModel::Check(constants);
}

std::string NamesOf(bool ModeEntry::*flag) {
  std::string names;
  for (const std::string& name : ModeNames()) {
    if (FindMode(name)->*flag) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

Status CheckOutputs(const ModelSpec& model, const ModeEntry& mode) {
  const std::string begin = "forgetting.mode: " + std::string(mode.name);
  if (model.loss == LossKind::kSoftmax && !mode.takes_classes) {
    return {ErrorCode::kConfig,
            begin +
                " has formulas for a model with one output and does not take loss: softmax; "
                "use one of " +
                NamesOf(&ModeEntry::takes_classes)};
  }
  if (model.weight_bound != 1 && !mode.takes_weights) {
    return {ErrorCode::kConfig,
            begin +
                " has formulas for events that weigh at most 1; use model.weight_bound: 1, or "
                "one of " +
                NamesOf(&ModeEntry::takes_weights)};
  }
  return Status::Ok();
}

// Only a joint promise is divided among the shards. A promise to one person is not, because as a
// rule one shard holds all events of a person; the receipt says if several did.
bool DividesBudget(const ForgettingSpec& forgetting) {
  return forgetting.guarantee == Guarantee::kJoint &&
         forgetting.guarantee_scope == GuaranteeScope::kFleet;
}

// The spec of one shard, with its share of the budget. Replaces `budget` by that share.
Spec OfOneShard(const Spec& stated, std::int64_t shards, Promise& budget) {
  Spec spec = stated;
  if (shards == 1 || !DividesBudget(stated.forgetting)) return spec;
  budget = budget.ShareOf(shards);
  BudgetSpec& share = spec.forgetting.budget;
  if (share.epsilon && budget.epsilon > 0) {
    share = {.epsilon = budget.epsilon, .delta = budget.delta, .mu = {}, .rho = {}};
  } else {
    share = {.epsilon = {}, .delta = {}, .mu = budget.mu, .rho = {}};
  }
  return spec;
}

}  // namespace

// The settings whose default depends on the mode and on what else is stated. A mode that certifies
// any steps gets steps per feature, which need no tuning; then hardly any regularisation is needed.
// All others forget by fading, and lambda is what makes events fade.
Spec WithDefaults(const Spec& stated) {
  constexpr double kLambdaThatFades = 0.01;
  constexpr double kLambdaPerFeature = 1e-6;
  Spec spec = stated;
  LearningSpec& learning = spec.learning;
  const ModeEntry* const mode = FindMode(spec.forgetting.mode);
  if (learning.update_is_auto) {
    const bool states_steps = learning.eta || learning.schedule != ScheduleKind::kConstant;
    const bool takes_any = mode != nullptr && mode->takes_any_steps;
    learning.update = takes_any && !states_steps ? UpdateKind::kAdagrad : UpdateKind::kSgd;
  }
  if (spec.model.lambda_is_auto) {
    spec.model.lambda = learning.update == UpdateKind::kSgd ? kLambdaThatFades : kLambdaPerFeature;
  }
  return spec;
}

Result<Plan> Plan::Make(const Spec& given, std::int64_t shards) {
  LETHE_CHECK(shards >= 1);
  const Spec stated = WithDefaults(given);
  LETHE_RETURN_IF_ERROR(CheckHashBits(stated.model));
  LETHE_RETURN_IF_ERROR(CheckFeatures(stated.model, stated.features));
  LETHE_RETURN_IF_ERROR(CheckDimension(stated));
  LETHE_RETURN_IF_ERROR(CheckWaiting(stated.forgetting));
  LETHE_RETURN_IF_ERROR(CheckRetention(stated.forgetting));
  LETHE_RETURN_IF_ERROR(CheckShrink(stated.forgetting));
  auto constants = Constants::Derive(stated.model);
  if (!constants.ok()) return constants.status();
  auto budget = Promise::FromBudget(stated.forgetting.budget);
  if (!budget.ok()) return budget.status();
  const Promise stated_budget = budget.value();
  // From here on, and in the mode's own check, the budget is that of one shard.
  const Spec spec = OfOneShard(stated, shards, budget.value());
  auto schedule = Schedule::Make(spec.learning, spec.forgetting.split, constants.value(),
                                 budget.value().rho, ModelDimension(spec));
  if (!schedule.ok()) return schedule.status();
  // Noise on the grid is rounded to 2^-26 of itself, so the budget must be well above that.
  if (budget.value().mu < 16 * GridShiftPerSigma(ModelDimension(spec))) {
    return Status(ErrorCode::kConfig,
                  "forgetting.budget: too small for a model of this dimension: noise in doubles "
                  "cannot be drawn that finely");
  }
  const ModeEntry* mode = FindMode(spec.forgetting.mode);
  if (mode == nullptr) {
    return Status(ErrorCode::kConfig, "forgetting.mode: there is no mode " + spec.forgetting.mode);
  }
  if (mode->form != nullptr) mode = mode->form(spec);
  LETHE_RETURN_IF_ERROR(CheckHashed(spec, constants.value(), *mode));
  LETHE_RETURN_IF_ERROR(CheckOutputs(spec.model, *mode));
  LETHE_RETURN_IF_ERROR(CheckUpdate(spec, *mode));
  LETHE_RETURN_IF_ERROR(mode->check(spec, constants.value()));
  const auto horizon = Horizon::Of(spec, constants.value(), schedule.value());
  if (!horizon.ok()) return horizon.status();
  const bool is_joint = stated.forgetting.guarantee == Guarantee::kJoint;
  Plan plan{.spec = stated,
            .constants = constants.value(),
            .budget = budget.value(),
            .promise = mode->is_exact ? Promise{} : budget.value(),
            .schedule = schedule.value(),
            .mode = mode,
            .features = FeatureMap::Make(stated.model, stated.features),
            .shards = shards};
  if (is_joint && !mode->is_exact) {
    plan.served = DividesBudget(stated.forgetting) ? stated_budget : plan.promise.Over(shards);
  }
  return plan;
}

bool Plan::AllowsAdaptiveRequests() const {
  return mode->allows_adaptive_requests != nullptr && mode->allows_adaptive_requests(spec);
}

Status Plan::CheckRun() const {
  const char* reason = mode->why_not_run == nullptr ? nullptr : mode->why_not_run(spec);
  if (reason == nullptr) return Status::Ok();
  return {ErrorCode::kConfig, "forgetting.mode: " + std::string(mode->name) +
                                  " with these keys is for replay and compare only: " + reason};
}

std::vector<std::string> Plan::WhyNotCertified() const {
  std::vector<std::string> reasons;
  if (mode->why_never_certified != nullptr) reasons.emplace_back(mode->why_never_certified);
  if (mode->takes_any_steps) {
    // A checkpoint holds everything that the steps depend on.
  } else if (spec.learning.update != UpdateKind::kSgd) {
    reasons.push_back(std::string("the steps of update: ") + Name(spec.learning.update) +
                      " are a function of the data and remember what was deleted; the noise was "
                      "calibrated as if they were steps of sgd. Modes rewind, retrain and restart "
                      "forget exactly with any steps");
  } else if (spec.learning.schedule == ScheduleKind::kAdaptive) {
    reasons.emplace_back(
        "adaptive step sizes are a function of the data and remember what was deleted; the noise "
        "was calibrated as if they were public");
  }
  if (mode->why_not != nullptr) {
    if (const char* reason = mode->why_not(spec)) reasons.emplace_back(reason);
  } else if (spec.forgetting.calibration == Calibration::kPaper) {
    reasons.emplace_back(
        "calibration: paper uses a contraction factor that does not hold for these steps; it is "
        "for comparison only");
  }
  if (spec.noise.source == NoiseKind::kSeeded) {
    reasons.emplace_back("the noise came from a seed and can be computed again");
  }
  if (spec.noise.source == NoiseKind::kDisabled) {
    reasons.emplace_back("noise was disabled: none was added");
  }
  return reasons;
}

}  // namespace lethe
