#include "engine/modes/papers/erm_unlearner.h"

namespace lethe {
namespace {

ModeContext WithoutSteps(ModeContext context) {
  context.schedule = Schedule::Still();
  return context;
}

}  // namespace

ErmUnlearner::ErmUnlearner(const ModeContext& context)
    : OnlineUnlearner(WithoutSteps(context)),
      erm_(context.spec.forgetting.erm),
      calibration_(context.spec.forgetting.calibration),
      payloads_(context.payloads),
      cost_(loss(), run().constants(), context.payloads) {}

Prediction ErmUnlearner::Learn(const Example& example) {
  const Prediction prediction = PredictionOf(example);
  payloads_.Add({run().ledger().steps()}, example);
  run().Skip();
  ++waiting_;
  const std::int64_t since = run().ledger().steps() - erm_.warmup;
  if (since >= 0 && since % erm_.refit_every == 0) learn_gradients_ += Refit();
  return prediction;
}

void ErmUnlearner::Release(std::span<const Target> batch) {
  for (const Target& target : batch) {
    --(target.index.value < entered_ ? before_ : waiting_);
    if (target.index.value < entered_) ++removed_;
    payloads_.Remove(target.index);
  }
  OnlineUnlearner::Release(batch);
}

ErmUnlearner::Change ErmUnlearner::TakeIn() {
  const Change change{.deleted = static_cast<double>(removed_),
                      .n_before = static_cast<double>(before_ + removed_),
                      .added = static_cast<double>(waiting_),
                      .n_after = static_cast<double>(payloads_.count())};
  entered_ = run().ledger().steps();
  waiting_ = 0;
  removed_ = 0;
  before_ = payloads_.count();
  return change;
}

void ErmUnlearner::Descend(std::int64_t count) {
  run().Descend(cost_, count);
  calibrator().Reopen(run());
}

Status CheckErm(const Spec& spec) {
  if (spec.learning.schedule == ScheduleKind::kAdaptive) {
    return {ErrorCode::kConfig,
            "learning.schedule: mode " + spec.forgetting.mode +
                " takes steps of 2/(beta+mu) whatever the schedule is; remove adaptive"};
  }
  if (spec.forgetting.split != Split::kCurve) {
    return {ErrorCode::kConfig,
            "forgetting.split: mode " + spec.forgetting.mode + " does not split the budget"};
  }
  return Status::Ok();
}

}  // namespace lethe
