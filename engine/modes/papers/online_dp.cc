#include <cmath>

#include "engine/base/archive.h"
#include "engine/modes/papers/tree_sums.h"
#include "engine/modes/unlearner.h"
#include "engine/privacy/noise.h"
#include "engine/spec/dimension.h"
#include "engine/spec/loss.h"

namespace lethe {
namespace {

constexpr double kMostLevels = 60;

constexpr char kSpent[] =
    "more events were deleted than forgetting.online_dp.deletions had planned noise for";

// Follow the regularised leader on noised sums of gradients (DP-FTRL: Kairouz et al. 2021; the
// baseline "online DP" of OLU Table 2): z_(t+1) = Proj(-S/(mu t)). Every model is private for every
// event, whether requests depend on models or not, so a deletion leaves the model as it is and only
// writes a receipt. No payload is ever stored.
class OnlineDpUnlearner final : public Unlearner {
 public:
  explicit OnlineDpUnlearner(const ModeContext& context)
      : loss_(context.spec.model.loss, context.spec.model.huber_width),
        constants_(context.constants),
        promise_(context.promise),
        shard_(context.shard),
        random_(context.spec.noise.source == NoiseKind::kDisabled ? nullptr : &context.random),
        tree_(ModelDimension(context.spec), context.constants.G,
              NoisePerLevel(context.spec, context.constants, context.promise),
              context.spec.forgetting.online_dp.events.value_or(0)),
        z_(Vector::Zero(ModelDimension(context.spec))) {}

  // The sigma of a tree with one level; some of mu is for the rounding to the grid.
  static double NoisePerLevel(const Spec& spec, const Constants& constants,
                              const Promise& promise) {
    const auto k = static_cast<double>(spec.forgetting.online_dp.deletions);
    const auto d = ModelDimension(spec);
    const double mu = promise.mu / k - std::sqrt(kMostLevels) * 2 * GridShiftPerSigma(d);
    return mu > 0 ? constants.G / mu * (1 + 1e-9) : HUGE_VAL;
  }

  Prediction Learn(const Example& example) override {
    const Prediction prediction{z_.dot(example.x)};
    tree_.Add(example.w * loss_.Slope(prediction.score, example.y) * example.x, shard_, random_,
              draws_);
    z_ = tree_.prefix() / (-constants_.mu * static_cast<double>(tree_.count()));
    Project(z_, constants_.radius);
    return prediction;
  }

  void Release(std::span<const Target>) override {}

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    for (const Target& target : batch) deleted_.Add(target.index.value + 1, tree_);
    Forgetting forgetting{static_cast<double>(batch.size()) * constants_.G,
                          tree_.SigmaAt(tree_.count())};
    if (deleted_.rho() > promise_.rho) forgetting.why_not = kSpent;
    return forgetting;
  }

  double SigmaNow(std::span<const Target>) const override { return 0; }
  Vector model() const override { return z_; }
  double SquaredNorm() const override { return z_.squaredNorm(); }
  double HalfLife() const override { return HUGE_VAL; }
  std::int64_t LearnGradients() const override { return tree_.count(); }
  std::int64_t HeldBytes() const override {
    return 8 * z_.size() + tree_.bytes() + deleted_.bytes();
  }

  void Save(State& state) override {
    SavingArchive archive;
    archive(tree_, z_, draws_, deleted_);
    state.Put(Part::kRun, archive.Take());
  }
  Status Load(const State& state) override {
    const auto bytes = state.Get(Part::kRun);
    LoadingArchive archive(bytes ? *bytes : std::string_view());
    archive(tree_, z_, draws_, deleted_);
    if (archive.complete()) return Status::Ok();
    return {ErrorCode::kInput, "the stored sums cannot be read"};
  }

 private:
  Loss loss_;
  Constants constants_;
  Promise promise_;
  ShardId shard_;
  RandomSource* random_;
  TreeSums tree_;
  Vector z_;
  std::uint64_t draws_ = 0;
  DeletedLeaves deleted_;
};

Status Check(const Spec& spec, const Constants& constants) {
  const ForgettingSpec& forgetting = spec.forgetting;
  if (forgetting.guarantee != Guarantee::kJoint) {
    return {ErrorCode::kConfig,
            "forgetting.guarantee: online_dp accounts for all deleted events together; use joint"};
  }
  if (forgetting.calibration != Calibration::kLedger || forgetting.split != Split::kCurve) {
    return {ErrorCode::kConfig,
            "forgetting.calibration, forgetting.split: mode online_dp takes ledger and curve only"};
  }
  const auto promise = Promise::FromBudget(forgetting.budget);
  if (!promise.ok()) return promise.status();
  if (std::isfinite(OnlineDpUnlearner::NoisePerLevel(spec, constants, promise.value()))) {
    return Status::Ok();
  }
  return {ErrorCode::kConfig,
          "forgetting.online_dp.deletions: the budget is too small for so many, in doubles"};
}

}  // namespace

extern const ModeEntry kOnlineDpMode;
const ModeEntry kOnlineDpMode = {
    .name = "online_dp",
    .summary = "noised sums of gradients (tree aggregation); a deletion costs nothing",
    .why_never_certified = nullptr,
    .is_exact = false,
    .moves_model = true,
    .check = Check,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<OnlineDpUnlearner>(context);
    },
    .takes_hashed = false,
    .why_not = nullptr,
    .keeps_secret = false,
    .allows_adaptive_requests = [](const Spec&) { return true; },
    .draws_while_learning = true,
};

}  // namespace lethe
