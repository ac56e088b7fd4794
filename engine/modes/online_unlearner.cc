#include "engine/modes/online_unlearner.h"

#include "engine/base/check.h"
#include "engine/spec/dimension.h"

namespace lethe {

OnlineRun NewOnlineRun(const Spec& spec, const Constants& constants, const Schedule& schedule,
                       Ledger::Account account) {
  return {Loss(spec.model, spec.learning.update),
          constants,
          schedule,
          InputDimension(spec),
          IsSparse(spec) ? OnlineRun::Features::kSparse : OnlineRun::Features::kDense,
          account};
}

OnlineUnlearner::OnlineUnlearner(const ModeContext& context)
    : loss_(context.spec.model, context.spec.learning.update),
      run_(NewOnlineRun(context.spec, context.constants, context.schedule)),
      calibrator_(context.spec, context.constants, context.promise),
      shard_(context.shard),
      random_(context.random),
      draws_noise_(context.spec.noise.source != NoiseKind::kDisabled) {}

void OnlineUnlearner::Release(std::span<const Target> batch) {
  for (const Target& target : batch) {
    const bool is_new = held_.emplace(target.index.value, calibrator_.Hold(target, run_)).second;
    LETHE_CHECK(is_new);
  }
}

OnlineUnlearner::Batch OnlineUnlearner::HeldOf(std::span<const Target> batch) const {
  Batch held;
  for (const Target& target : batch) held.push_back(held_.at(target.index.value));
  return held;
}

double OnlineUnlearner::SigmaNow(std::span<const Target> batch) const {
  const auto forgetting = calibrator_.Calibrate(HeldOf(batch), run_);
  return forgetting.ok() ? forgetting.value().sigma : HUGE_VAL;
}

Result<Forgetting> OnlineUnlearner::Forget(std::span<const Target> batch) {
  return CalibrateAndDraw(HeldOf(batch));
}

Result<Forgetting> OnlineUnlearner::CalibrateAndDraw(const Batch& batch) {
  auto forgetting = calibrator_.Calibrate(batch, run_);
  if (forgetting.ok()) Draw(batch, forgetting.value());
  return forgetting;
}

void OnlineUnlearner::Draw(const Batch& batch, const Forgetting& forgetting) {
  const double sigma = forgetting.sigma;
  if (forgetting.shrink < 1) run_.Shrink(forgetting.shrink, draws_noise_);
  const Stream stream{Stream::Purpose::kNoise, shard_,
                      static_cast<std::uint64_t>(calibrator_.draws())};
  calibrator_.Drawn(batch, forgetting, run_);
  if (draws_noise_) {
    run_.Draw(sigma, random_, stream);
  } else {
    run_.BookDraw(sigma);
  }
  LetGo(batch);
}

void OnlineUnlearner::LetGo(const Batch& batch) {
  for (const Calibrator::Held& held : batch) held_.erase(held.index.value);
}

void OnlineUnlearner::Save(State& state) {
  run_.Save(state);
  SavingArchive calibration;
  calibration(calibrator_);
  state.Put(Part::kCalibration, calibration.Take());
  SavingArchive held;
  held(held_);
  SaveMore(held);
  state.Put(Part::kMode, held.Take());
}

Status OnlineUnlearner::Load(const State& state) {
  LETHE_RETURN_IF_ERROR(run_.Load(state));
  const auto calibration = state.Get(Part::kCalibration);
  const auto held = state.Get(Part::kMode);
  LoadingArchive calibration_archive(calibration ? *calibration : std::string_view());
  LoadingArchive held_archive(held ? *held : std::string_view());
  calibration_archive(calibrator_);
  held_archive(held_);
  LoadMore(held_archive);
  if (calibration_archive.complete() && held_archive.complete()) return Status::Ok();
  return {ErrorCode::kInput, "the stored calibration cannot be read"};
}

}  // namespace lethe
