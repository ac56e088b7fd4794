#include <algorithm>
#include <unordered_map>

#include "engine/modes/papers/d2d.h"
#include "engine/modes/papers/sampler.h"
#include "engine/modes/papers/secret_unlearner.h"
#include "engine/privacy/noise.h"

namespace lethe {
namespace {

// D2D with reservoir sampling (Algorithms 4 to 7, one copy): B = K^2 slots, each a uniform draw
// from the retained events, in K partitions with one secret model each. The mean of these models is
// published with noise. A deletion changes only the partitions that drew the event.
class DistributedUnlearner final : public SecretUnlearner {
 public:
  explicit DistributedUnlearner(const ModeContext& context)
      : SecretUnlearner(context),
        promise_(context.promise),
        parts_(size_at_training(), erm().steps) {}

  std::int64_t HeldBytes() const override {
    return SecretUnlearner::HeldBytes() + 8 * parts_.K * (parts_.K + run().model_dimension());
  }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const Batch held = HeldOf(batch);
    LetGo(held);
    if (!is_trained()) return Forgetting{};
    CountGradients(Update());
    const double sigma = Sigma();
    PublishMean(sigma);
    has_deleted_ = true;
    return Forgetting{parts_.Shift(run().constants()), sigma};
  }

 protected:
  std::int64_t Refit() override {
    const std::int64_t gradients = Update();
    PublishMean(has_deleted_ || calibration() == Calibration::kPaper ? Sigma() : 0);
    return gradients;
  }
  void SaveMore(SavingArchive& archive) override {
    SecretUnlearner::SaveMore(archive);
    archive(slots_, models_, updates_, streams_, taken_, has_deleted_);
  }
  void LoadMore(LoadingArchive& archive) override {
    SecretUnlearner::LoadMore(archive);
    archive(slots_, models_, updates_, streams_, taken_, has_deleted_);
  }

 private:
  static constexpr std::int64_t kEmpty = -1;

  double Sigma() const {
    return calibration() == Calibration::kPaper
               ? parts_.Sigma(run().constants(), promise_.epsilon, promise_.delta)
               : parts_.Shift(run().constants()) / promise_.mu;
  }

  void PublishMean(double sigma) {
    Vector mean = Vector::Zero(run().model_dimension());
    for (const Vector& model : models_) mean += model;
    Publish(mean / static_cast<double>(parts_.K), sigma);
  }

  // Brings slots and models up to date; returns how many gradients that took.
  std::int64_t Update() {
    std::vector<std::int64_t> retained;
    payloads().ForEachBlock([&](const PayloadBlock& block) {
      for (const EventIndex index : block.indices) retained.push_back(index.value);
    });
    Sampler sampler(random(), shard(), streams_);
    const bool is_first = models_.empty();
    const auto K = static_cast<std::size_t>(parts_.K);
    std::vector<std::int64_t> changed(K, 0);
    if (is_first) {
      slots_.assign(K * K, kEmpty);
      models_.assign(K, Vector::Zero(run().model_dimension()));
      taken_ = run().ledger().steps();
    }
    Redraw(retained, sampler, changed);
    if (!is_first) Add(retained, sampler, changed);
    TakeIn();
    if (!is_first) ++updates_;
    const auto touched = static_cast<std::int64_t>(
        std::count_if(changed.begin(), changed.end(), [](std::int64_t s) { return s > 0; }));
    return DescendOn(changed, touched, is_first);
  }

  // A slot whose event is gone draws anew from those that were there before the waiting ones.
  void Redraw(const std::vector<std::int64_t>& retained, Sampler& sampler,
              std::vector<std::int64_t>& changed) {
    const auto old = std::lower_bound(retained.begin(), retained.end(), taken_) - retained.begin();
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      if (std::binary_search(retained.begin(), retained.end(), slots_[s])) continue;
      if (slots_[s] == kEmpty && old == 0) continue;
      slots_[s] = old == 0 ? kEmpty : retained[static_cast<std::size_t>(sampler.Below(old))];
      ++changed[s / models_.size()];
    }
  }

  // Each waiting event takes each slot with probability 1/n, n counting it (Algorithm 5).
  void Add(const std::vector<std::int64_t>& retained, Sampler& sampler,
           std::vector<std::int64_t>& changed) {
    auto next = std::lower_bound(retained.begin(), retained.end(), taken_);
    for (; next != retained.end(); ++next) {
      const std::int64_t n = next - retained.begin() + 1;
      for (std::size_t s = 0; s < slots_.size(); ++s) {
        if (sampler.Below(n) != 0) continue;
        slots_[s] = *next;
        ++changed[s / models_.size()];
      }
    }
    taken_ = run().ledger().steps();
  }

  std::int64_t StepsOf(std::int64_t changed, std::int64_t touched, bool is_first) const {
    const Constants& c = run().constants();
    if (is_first) return parts_.TrainingSteps(c, promise_.delta);
    if (calibration() == Calibration::kRecursion) return parts_.Steps(c, changed);
    return parts_.PrintedSteps(c, erm().steps, updates_, touched, promise_.delta);
  }

  std::int64_t DescendOn(const std::vector<std::int64_t>& changed, std::int64_t touched,
                         bool is_first) {
    const auto K = static_cast<std::size_t>(parts_.K);
    const auto b = static_cast<Eigen::Index>(parts_.K);
    std::unordered_map<std::int64_t, std::vector<std::size_t>> places;  // of an event, in slots_
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      if (slots_[s] != kEmpty && (is_first || changed[s / K] > 0)) places[slots_[s]].push_back(s);
    }
    const Eigen::Index d = run().model_dimension();
    std::vector<Eigen::MatrixXd> x(K);
    std::vector<Eigen::VectorXd> y(K, Eigen::VectorXd::Zero(b));
    std::vector<Eigen::VectorXd> w(K, Eigen::VectorXd::Ones(b));
    payloads().ForEachBlock([&](const PayloadBlock& block) {
      for (std::size_t row = 0; row < block.indices.size(); ++row) {
        const auto found = places.find(block.indices[row].value);
        if (found == places.end()) continue;
        const Eigen::Map<const Vector> features(block.x.data() + static_cast<Eigen::Index>(row) * d,
                                                d);
        for (const std::size_t s : found->second) {
          Eigen::MatrixXd& rows = x[s / K];
          if (rows.size() == 0) rows = Eigen::MatrixXd::Zero(b, d);
          rows.row(static_cast<Eigen::Index>(s % K)) = features;
          y[s / K][static_cast<Eigen::Index>(s % K)] = block.y[row];
          w[s / K][static_cast<Eigen::Index>(s % K)] = block.w[row];
        }
      }
    });
    std::int64_t gradients = 0;
    for (std::size_t j = 0; j < K; ++j) {
      if (!is_first && changed[j] == 0) continue;
      const std::int64_t steps = StepsOf(changed[j], touched, is_first);
      for (std::int64_t i = 0; i < steps; ++i) Step(x[j], y[j], w[j], models_[j]);
      gradients += steps * parts_.K;
    }
    return gradients;
  }

  void Step(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, const Eigen::VectorXd& w,
            Vector& z) const {
    const Constants& c = run().constants();
    Vector gradient = c.mu * z;
    if (x.size() > 0) {
      Vector slopes = x * z;
      for (Eigen::Index i = 0; i < y.size(); ++i) {
        slopes[i] = w[i] * loss().Slope(slopes[i], y[i]);
      }
      gradient += x.transpose() * slopes / static_cast<double>(parts_.K);
    }
    z -= c.max_step() * gradient;
    Project(z, c.radius);
  }

  Promise promise_;
  d2d::Partitions parts_;
  std::vector<std::int64_t> slots_;  // event indices; partition s / K
  std::vector<Vector> models_;       // one per partition, without noise
  std::int64_t updates_ = 0;
  std::uint64_t streams_ = 0;
  std::int64_t taken_ = 0;  // events before this index have had their chance of a slot
  bool has_deleted_ = false;
};

Status Check(const Spec& spec, const Constants&) {
  LETHE_RETURN_IF_ERROR(CheckErm(spec));
  if (spec.forgetting.calibration == Calibration::kLedger) {
    return {ErrorCode::kConfig,
            "forgetting.calibration: d2d_distributed takes recursion (steps that suffice) or paper "
            "(as printed); it has no ledger, because a partition shrinks only when it is touched"};
  }
  return Status::Ok();
}

}  // namespace

extern const ModeEntry kD2dDistributedMode;
const ModeEntry kD2dDistributedMode = {
    .name = "d2d_distributed",
    .summary = "descent-to-delete on a reservoir in partitions: a deletion touches few of them",
    .why_never_certified =
        "d2d_distributed bounds each published model alone: a partition that no later update "
        "touches keeps its distance, and every publish shows it again",
    .is_exact = false,
    .moves_model = true,
    .check = Check,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<DistributedUnlearner>(context);
    },
    .why_not = [](const Spec&) -> const char* { return nullptr; },
    .keeps_secret = true,
    .draws_while_learning = true,
};

}  // namespace lethe
