#include <cmath>

#include <Eigen/Cholesky>

#include "engine/base/archive.h"
#include "engine/base/fused_kernels.h"
#include "engine/learning/reset.h"
#include "engine/modes/papers/erm_unlearner.h"
#include "engine/modes/papers/fixed_sums.h"
#include "engine/modes/papers/paper_removal.h"
#include "engine/modes/papers/removal.h"
#include "engine/privacy/noise.h"
#include "engine/spec/dimension.h"

namespace lethe {
namespace {

// How many deletions one factorisation serves. Their noise is sqrt of this times larger.
constexpr std::int64_t kUsesOfFactor = 64;
constexpr int kMostPasses = 12;

// The sound form of certified removal: a deletion moves the model to the minimiser over the
// retained events, to a tested tolerance. In all worlds the results differ by at most 2
// tolerance/mu, which one draw covers. Nothing else depends on a deleted event, so nothing adds up
// over deletions.
//
// With `solver: chord` a factorised Hessian is kept, because factorising is most of the work. The
// factor depends on events that were deleted since, so more than the first model after a deletion
// can reveal them (docs/unlearners.md explains this in full):
//  - Whatever the factor is, a model is released only if the tested gradient is within the
//    tolerance, or after a reset. So given everything released before, and given the two factors,
//    the means of the next release are within 2 tolerance/mu, as without a factor.
//  - With sigma made for rho/64 each release is (mu/8)-GDP then, and 64 of them, one after the
//    other, are mu-GDP. The factors themselves are random, but the bound holds for every pair.
//  - A factor serves at most 64 deletions, and their count is public. Then a new one is computed
//    from a released model and the retained events, which are the same in both worlds.
class SoundRemoval final : public ErmUnlearner {
 public:
  explicit SoundRemoval(const ModeContext& context)
      : ErmUnlearner(context),
        tolerance_(context.spec.forgetting.active.tolerance),
        keeps_factor_(context.spec.forgetting.removal.solver == RemovalSolver::kChord),
        rho_(context.promise.rho / (keeps_factor_ ? static_cast<double>(kUsesOfFactor) : 1)),
        z_(Vector::Zero(run().model_dimension())) {}

  void Release(std::span<const Target> batch) override {
    for (const Target& target : batch) was_in_ = was_in_ || target.index.value < taken_;
    ErmUnlearner::Release(batch);
  }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const Batch held = HeldOf(batch);
    LetGo(held);
    // Events that were never part of a solution left nothing behind.
    if (!was_in_) return Forgetting{};
    was_in_ = false;
    TakeIn();
    taken_ = run().ledger().steps();
    LETHE_RETURN_IF_ERROR(Solve());
    const double shift = 2 * tolerance_ / run().constants().mu;
    const Forgetting forgetting{shift, Calibrator::SigmaFor(shift, rho_, run())};
    const Stream stream{Stream::Purpose::kNoise, shard(), draws_++};
    const double radius = run().constants().radius;
    if (draws_noise()) AddGridNoise(z_, forgetting.sigma, radius, random(), stream);
    Project(z_, radius);
    if (++uses_ >= kUsesOfFactor) MakeFactor();
    return forgetting;
  }

  double SigmaNow(std::span<const Target>) const override {
    return Calibrator::SigmaFor(2 * tolerance_ / run().constants().mu, rho_, run());
  }
  Vector model() const override { return z_; }
  double SquaredNorm() const override { return z_.squaredNorm(); }
  std::int64_t HeldBytes() const override {
    const std::int64_t d = z_.size();
    return 8 * (keeps_factor_ ? d * (d + 1) : d);
  }

 protected:
  double Predict(const Example& example) const override { return z_.dot(example.x); }
  Prediction PredictionOf(const Example& example) const override {
    if (!loss().is_softmax()) return {Predict(example)};
    Vector u(loss().outputs());
    MultiplyRows(z_.data(), static_cast<std::size_t>(u.size()), example.x.data(),
                 static_cast<std::size_t>(example.x.size()), u.data());
    scores_.resize(static_cast<std::size_t>(loss().scores()));
    loss().Scores(u.data(), scores_.data());
    return {.scores = scores_};
  }

  // From the released model, so it is no more than post-processing.
  std::int64_t Refit() override {
    TakeIn();
    taken_ = run().ledger().steps();
    // Not to reach the tolerance costs accuracy here, and nothing else.
    static_cast<void>(ResetTo(cost(), run().constants(), tolerance_, z_).ok());
    MakeFactor();
    return 2 * payloads().count();
  }

  void SaveMore(SavingArchive& archive) override {
    ErmUnlearner::SaveMore(archive);
    archive(z_, taken_, was_in_, draws_);
  }
  void LoadMore(LoadingArchive& archive) override {
    ErmUnlearner::LoadMore(archive);
    archive(z_, taken_, was_in_, draws_);
  }

 private:
  void MakeFactor() {
    uses_ = 0;
    if (keeps_factor_) factor_.compute(cost().Hessian(z_));
  }

  Status Solve() {
    if (keeps_factor_ && factor_.cols() > 0 && ChordSteps()) return Status::Ok();
    CountGradients(2 * payloads().count());
    return ResetTo(cost(), run().constants(), tolerance_, z_);
  }

  // Whether the kept factor leads to the tolerance.
  bool ChordSteps() {
    const Constants& c = run().constants();
    const double margin = cost().GradientRounding(z_.size());
    Vector z = z_;
    for (int i = 0; i < kMostPasses; ++i) {
      const Vector gradient = cost().Gradient(z);
      CountGradients(payloads().count());
      if (gradient.norm() + margin <= tolerance_) {
        z_ = z;
        return true;
      }
      z -= factor_.solve(gradient);
      if (!z.allFinite()) return false;
      Project(z, c.radius);
    }
    return false;
  }

  double tolerance_;
  bool keeps_factor_;
  double rho_;
  Vector z_;
  std::int64_t taken_ = 0;  // events before this index are in the solution
  bool was_in_ = false;     // a released event was
  std::uint64_t draws_ = 0;
  std::int64_t uses_ = 0;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  mutable std::vector<double> scores_;  // of the last prediction
};

// Certified removal for the squared loss, from its sufficient statistics (CR section 3.2). They are
// in fixed point, so a deletion subtracts exactly what the event had added.
class SquaredRemoval final : public Unlearner {
 public:
  explicit SquaredRemoval(const ModeContext& context)
      : erm_(context.spec.forgetting.erm),
        constants_(context.constants),
        payloads_(context.payloads),
        sums_(ModelDimension(context.spec), context.constants.feature_norm,
              context.spec.model.label_bound),
        z_(Vector::Zero(ModelDimension(context.spec))) {}

  Prediction Learn(const Example& example) override {
    const Prediction prediction{z_.dot(example.x)};
    payloads_.Add({learned_++}, example);
    sums_.Add(example);
    const std::int64_t since = learned_ - erm_.warmup;
    if (since >= 0 && since % erm_.refit_every == 0) Solve();
    return prediction;
  }
  void Release(std::span<const Target> batch) override {
    for (const Target& target : batch) {
      if (const auto example = removal::Find(payloads_, target.index, z_.size())) {
        sums_.Subtract(*example);
      }
      payloads_.Remove(target.index);
    }
  }
  Result<Forgetting> Forget(std::span<const Target>) override {
    if (learned_ >= erm_.warmup) Solve();
    return Forgetting{};
  }
  double SigmaNow(std::span<const Target>) const override { return 0; }
  Vector model() const override { return z_; }
  double SquaredNorm() const override { return z_.squaredNorm(); }
  double HalfLife() const override { return HUGE_VAL; }
  std::int64_t LearnGradients() const override { return learned_; }
  std::int64_t HeldBytes() const override { return sums_.bytes() + 8 * z_.size(); }
  void Save(State& state) override {
    SavingArchive archive;
    archive(learned_, sums_, z_);
    state.Put(Part::kRun, archive.Take());
  }
  Status Load(const State& state) override {
    const auto bytes = state.Get(Part::kRun);
    LoadingArchive archive(bytes ? *bytes : std::string_view());
    archive(learned_, sums_, z_);
    if (archive.complete()) return Status::Ok();
    return {ErrorCode::kInput, "the stored sums cannot be read"};
  }

 private:
  void Solve() {
    const auto n = static_cast<double>(std::max<std::int64_t>(1, sums_.count()));
    Eigen::MatrixXd a = sums_.Outer() / n;
    a.diagonal().array() += constants_.mu;
    z_ = a.llt().solve(sums_.Pull() / n);
    Project(z_, constants_.radius);
  }

  ErmSpec erm_;
  Constants constants_;
  Payloads& payloads_;
  FixedSums sums_;
  Vector z_;
  std::int64_t learned_ = 0;
};

constexpr char kWho[] = "forgetting.mode: certified_removal";

}  // namespace

Status CheckRemoval(const Spec& spec) {
  LETHE_RETURN_IF_ERROR(CheckErm(spec));
  if (spec.forgetting.calibration == Calibration::kLedger) return Status::Ok();
  return {ErrorCode::kConfig,
          "forgetting.calibration: certified_removal has variant: paper instead; use ledger"};
}

namespace {

Status CheckSound(const Spec& spec, const Constants& constants) {
  LETHE_RETURN_IF_ERROR(CheckRemoval(spec));
  if (spec.model.loss == LossKind::kSoftmax &&
      spec.forgetting.removal.solver == RemovalSolver::kChord) {
    return {ErrorCode::kConfig,
            "forgetting.removal.solver: chord keeps a factorised Hessian, which is too large for "
            "several classes; use newton"};
  }
  return CheckReset(spec, constants, spec.forgetting.active.tolerance, kWho);
}

const char* WhyNotRun(const Spec& spec) {
  return spec.forgetting.removal.solver == RemovalSolver::kChord
             ? "the factorisation of solver: chord remembers deleted events for a while and does "
               "not belong into a state; use solver: newton"
             : nullptr;
}

const ModeEntry* Form(const Spec& spec);

constexpr ModeEntry kSound = {
    .name = "certified_removal",
    .summary = "the minimiser of all retained events, found again at a deletion, one small draw",
    .why_never_certified = nullptr,
    .is_exact = false,
    .moves_model = true,
    .check = CheckSound,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<SoundRemoval>(context);
    },
    .takes_hashed = false,
    .why_not = nullptr,
    .keeps_secret = false,
    .allows_adaptive_requests = nullptr,
    .form = Form,
    .why_not_run = WhyNotRun,
    .takes_classes = true,
    .takes_weights = true,
};

constexpr ModeEntry kSquared = {
    .name = "certified_removal",
    .summary = kSound.summary,
    .why_never_certified = nullptr,
    .is_exact = true,
    .moves_model = true,
    .check = CheckSound,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<SquaredRemoval>(context);
    },
};

const ModeEntry* Form(const Spec& spec) {
  if (spec.forgetting.variant == RemovalVariant::kPaper) return &kPaperRemovalMode;
  return spec.model.loss == LossKind::kSquared ? &kSquared : &kSound;
}

}  // namespace

extern const ModeEntry kCertifiedRemovalMode;
const ModeEntry kCertifiedRemovalMode = kSound;

}  // namespace lethe
