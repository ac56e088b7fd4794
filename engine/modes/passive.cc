#include "engine/calibrator.h"
#include "engine/modes/unlearner.h"
#include "engine/online_run.h"

namespace lethe {
namespace {

// OLU Algorithm 1 with the ledger's noise: a deletion is one draw, and no payload is ever stored.
class PassiveUnlearner final : public Unlearner {
 public:
  explicit PassiveUnlearner(const ModeContext& context)
      : run_(Loss(context.spec.model.loss, context.spec.model.huber_width), context.constants,
             context.schedule, Door(context.spec.model).model_dimension()),
        calibrator_(context.spec, context.promise),
        shard_(context.shard),
        random_(context.random),
        draws_noise_(context.spec.noise.source != NoiseKind::kDisabled) {}

  double Predict(const Vector& x) const override { return run_.Predict(x); }
  double Learn(const Example& example) override { return run_.Learn(example); }
  const Vector& model() const override { return run_.model(); }
  double HalfLife() const override { return run_.HalfLife(); }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    auto forgetting = calibrator_.Calibrate(batch, run_);
    if (!forgetting.ok()) return forgetting;
    const double sigma = forgetting.value().sigma;
    const Stream stream{Stream::Purpose::kNoise, shard_,
                        static_cast<std::uint64_t>(calibrator_.draws())};
    calibrator_.Drawn(sigma, run_);
    if (draws_noise_) {
      run_.Draw(sigma, random_, stream);
    } else {
      run_.BookDraw(sigma);
    }
    return forgetting;
  }

 private:
  OnlineRun run_;
  Calibrator calibrator_;
  ShardId shard_;
  RandomSource& random_;
  bool draws_noise_;
};

}  // namespace

extern const ModeEntry kPassiveMode;
const ModeEntry kPassiveMode = {
    .name = "passive",
    .summary = "one calibrated noise draw per deletion, no extra work, no payloads stored",
    .why_never_certified = nullptr,
    .check = [](const Spec&, const Constants&) { return Status::Ok(); },
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<PassiveUnlearner>(context);
    },
};

}  // namespace lethe
