#include "engine/modes/papers/paper_removal.h"

#include <vector>

#include "engine/modes/papers/erm_unlearner.h"
#include "engine/modes/papers/removal.h"
#include "engine/privacy/noise.h"

namespace lethe {
namespace {

// Certified removal as published (CR Algorithms 1 and 2, misprints repaired): a random linear term
// in the cost function hides the gradient residual of the Newton steps, until the sum of their
// bounds exceeds the budget; then the model is trained anew. Never certified.
class PaperRemoval final : public ErmUnlearner {
 public:
  explicit PaperRemoval(const ModeContext& context)
      : ErmUnlearner(context),
        sigma_(context.spec.forgetting.removal.perturbation),
        budget_(removal::Budget(sigma_, context.promise.epsilon, context.promise.delta)),
        payloads_(context.payloads),
        w_(Vector::Zero(run().model_dimension())),
        b_(Vector::Zero(run().model_dimension())) {}

  // The payloads are needed once more; they go in Forget, which follows at once.
  void Release(std::span<const Target> batch) override {
    for (const Target& target : batch) {
      if (target.index.value >= trained_) continue;
      if (auto example = removal::Find(payloads_, target.index, w_.size())) {
        removed_.push_back(std::move(*example));
      }
    }
    ErmUnlearner::Release(batch);
  }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const Batch held = HeldOf(batch);
    LetGo(held);
    if (removed_.empty()) return Forgetting{};
    const removal::Sums sums = Retained();
    const auto step = removal::RemovalStep(sums, loss(), run().constants().mu, removed_, w_);
    for (const Example& example : removed_) outer_ -= example.x * example.x.transpose();
    removed_.clear();
    w_ += step.s;
    CountGradients(2 * sums.count());
    spent_ += removal::PrintedBound(outer_, step.s, run().constants().feature_norm);
    if (spent_ > budget_) CountGradients(Train());
    return Forgetting{spent_, sigma_};
  }

  double SigmaNow(std::span<const Target>) const override { return sigma_; }
  Vector model() const override {
    Vector z = w_;
    Project(z, run().constants().radius);
    return z;
  }
  double SquaredNorm() const override { return model().squaredNorm(); }
  std::int64_t HeldBytes() const override {
    const std::int64_t d = w_.size();
    return 8 * (2 * d + d * d);
  }

 protected:
  double Predict(const Example& example) const override { return model().dot(example.x); }
  std::int64_t Refit() override {
    TakeIn();
    trained_ = run().ledger().steps();
    return Train();
  }
  void SaveMore(SavingArchive& archive) override {
    ErmUnlearner::SaveMore(archive);
    archive(w_, b_, spent_, trained_, draws_);
  }
  void LoadMore(LoadingArchive& archive) override {
    ErmUnlearner::LoadMore(archive);
    archive(w_, b_, spent_, trained_, draws_);
  }

 private:
  removal::Sums Retained() const { return {loss(), run().constants().mu, payloads_, trained_}; }
  std::int64_t Train() {
    b_.setZero();
    const Stream stream{Stream::Purpose::kNoise, shard(), draws_++};
    if (draws_noise()) AddGridNoise(b_, sigma_, sigma_, random(), stream);
    const removal::Sums sums = Retained();
    spent_ = removal::Train(sums, b_, w_);
    outer_ = sums.Outer(w_.size());
    return 4 * sums.count();
  }

  double sigma_;
  double budget_;
  Payloads& payloads_;
  Vector w_, b_;
  Eigen::MatrixXd outer_;  // sum of x x^T of what is retained
  double spent_ = 0;
  std::int64_t trained_ = 0;  // events before this index are in the model
  std::uint64_t draws_ = 0;
  std::vector<Example> removed_;
};

Status CheckPaper(const Spec& spec, const Constants&) {
  LETHE_RETURN_IF_ERROR(CheckRemoval(spec));
  if (spec.forgetting.deadline.none() && spec.forgetting.batch_window.none()) return Status::Ok();
  return {ErrorCode::kConfig,
          "forgetting.variant: paper computes on the events that are being deleted, so they cannot "
          "wait; remove deadline and batch_window, or use sound"};
}

}  // namespace

const ModeEntry kPaperRemovalMode = {
    .name = "certified_removal",
    .summary = "a random linear term in the cost function, and a Newton step at each deletion",
    .why_never_certified =
        "variant: paper trains again when its budget is spent, and when that happens depends on "
        "the noise that was to hide it; it is for comparison",
    .is_exact = false,
    .moves_model = true,
    .check = CheckPaper,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<PaperRemoval>(context);
    },
    .takes_hashed = false,
    .why_not = nullptr,
    .keeps_secret = true,
    .allows_adaptive_requests = nullptr,
    .form = nullptr,
    .why_not_run = [](const Spec&) -> const char* {
      return "variant: paper is never certified, and its linear term would lie in the state";
    },
};

}  // namespace lethe
