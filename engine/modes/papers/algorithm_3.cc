#include "engine/modes/papers/algorithm_3.h"

#include <Eigen/Cholesky>

#include "engine/base/elementary.h"
#include "engine/modes/active_unlearner.h"
#include "engine/modes/papers/removal.h"
#include "engine/privacy/noise.h"
#include "engine/spec/split.h"

namespace lethe {
namespace algorithm_3 {

double NewtonError(const Constants& c, double lipschitz, double distance) {
  return lipschitz / (2 * c.mu) * distance * distance;
}

double PrintedShift(const Constants& c, double lipschitz, double tau, double i) {
  const double left = std::max(1.0, tau - i);
  const double bracket = 2 + i * c.beta / (c.mu * left) * (lipschitz / c.mu - 1);
  return c.L * std::max(bracket, 1e-9) / (c.mu * left);
}

double PrintedSigma(const Constants& c, double lipschitz, double tau, double i, double rho) {
  const double factor =
      elementary::Pow(i, kZetaExponent) * kZetaExponent / (2 * (kZetaExponent - 1));
  return PrintedShift(c, lipschitz, tau, i) * std::sqrt(factor / rho);
}

}  // namespace algorithm_3

namespace {

double ThirdDerivative(LossKind loss) {
  // The second derivative of the Huber loss jumps: there Newton's error has no such bound.
  return loss == LossKind::kLogistic  ? removal::kThirdDerivative
         : loss == LossKind::kSquared ? 0
                                      : HUGE_VAL;
}

// The base class of both forms of OLU Algorithm 3: a descent towards the minimiser over all
// payloads, the batch included, and then one Newton step that removes the batch.
class NewtonUnlearner : public ActiveUnlearner {
 public:
  explicit NewtonUnlearner(const ModeContext& context)
      : ActiveUnlearner(context),
        hessian_lipschitz_(ThirdDerivative(context.spec.model.loss) *
                           elementary::Pow(context.constants.feature_norm, 3)) {}

  // The payloads are still needed; they go in Forget, which follows at once.
  void Release(std::span<const Target>) override {}
  double SigmaNow(std::span<const Target>) const override { return HUGE_VAL; }

 protected:
  double hessian_lipschitz() const { return hessian_lipschitz_; }

  void DropPayloads(std::span<const Target> batch) { ActiveUnlearner::Release(batch); }

  // (1/n_R) H_R^-1 times the gradients of the batch at z, whose payloads go now. n_R > 0.
  Vector NewtonStep(std::span<const Target> batch, const Vector& z) {
    Vector gradient = static_cast<double>(batch.size()) * run().constants().mu * z;
    for (const Target& target : batch) {
      if (const auto example = removal::Find(payloads(), target.index, z.size())) {
        gradient += example->w * loss().Slope(z.dot(example->x), example->y) * example->x;
      }
    }
    DropPayloads(batch);
    CountGradients(static_cast<std::int64_t>(batch.size()) + cost().count());
    return cost().Hessian(z).llt().solve(gradient / static_cast<double>(cost().count()));
  }

 private:
  double hessian_lipschitz_;
};

// The corrected form: I steps of 2/(beta+mu) on all payloads bring the model within a = gamma^I D
// of their minimiser. The Newton step, with a plus, then ends within
//   E = MH/(2 mu) (a + m L/(mu n_R))^2 + (n/n_R)(beta/mu) a
// of the minimiser over the retained events. The first term is the error of Newton's method; the
// second is the contribution of the mean gradient over all payloads, which is not 0. The bound
// holds in every world and for every earlier history, so the draw must absorb only 2 E, as after a
// reset.
class Algorithm3 final : public NewtonUnlearner {
 public:
  using NewtonUnlearner::NewtonUnlearner;

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const Constants& c = run().constants();
    const auto m = static_cast<double>(batch.size());
    const auto n = static_cast<double>(cost().count());
    const double retained = n - m;
    if (retained < 1) {
      DropPayloads(batch);
      run().MoveTo(Vector::Zero(run().model_dimension()), c.L / c.mu);
      return Finish(batch, 0);
    }
    const double own = Newton(m * c.L / (c.mu * retained));
    const double rest = n / retained * c.beta / c.mu;
    const std::int64_t steps = active().steps.value_or(std::min<std::int64_t>(
        kMostSteps, StepsThatGain(rest * c.diameter() / std::max(own, active().tolerance / c.mu))));
    Descend(steps);
    const double a = elementary::Exp(-static_cast<double>(steps) * GainPerStep()) * c.diameter();
    const double error = Newton(a + m * c.L / (c.mu * retained)) + rest * a + Rounding(rest);
    Vector z = run().model();
    z += NewtonStep(batch, z);
    run().MoveTo(std::move(z), 2 * error + c.L / (c.mu * retained));
    return Finish(batch, error);
  }

 private:
  static constexpr std::int64_t kMostSteps = 10000;

  double Newton(double distance) const {
    return algorithm_3::NewtonError(run().constants(), hessian_lipschitz(), distance);
  }
  // Of the descent and of the linear system, whose condition is at most beta/mu.
  double Rounding(double rest) const {
    const Constants& c = run().constants();
    const auto d = static_cast<double>(run().model_dimension());
    return rest * (4 * cost().GradientRounding(run().model_dimension()) / c.mu +
                   d * d * c.diameter() * 0x1p-50);
  }
  Result<Forgetting> Finish(std::span<const Target> batch, double error) {
    const double shift = 2 * error * (1 + 1e-12);
    const Forgetting forgetting{shift,
                                Calibrator::SigmaFor(shift, calibrator().promise().rho, run())};
    Draw(HeldOf(batch), forgetting);
    return forgetting;
  }
};

// The form as printed: steps of 1/(beta+mu), a minus, and the noise of equation (59) without its
// stray alpha, k being the deletions so far. Never certified. (The paper also prints the Hessian in
// place of its inverse, and a line 6 that ignores line 5; these two misprints are not reproduced.)
class PrintedAlgorithm3 final : public NewtonUnlearner {
 public:
  using NewtonUnlearner::NewtonUnlearner;

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const Constants& c = run().constants();
    const auto tau = static_cast<double>(run().ledger().steps());
    const double eta = 1 / (c.beta + c.mu);
    Vector z = run().model();
    const std::int64_t steps = StepsThatGain(c.mu * c.diameter() * tau / c.L);
    for (std::int64_t i = 0; i < steps; ++i) {
      z -= eta * cost().Gradient(z);
      Project(z, c.radius);
    }
    CountGradients(steps * cost().count());
    if (cost().count() > static_cast<std::int64_t>(batch.size())) {
      z -= NewtonStep(batch, z);
    } else {
      DropPayloads(batch);
    }
    const auto n = static_cast<double>(std::max<std::int64_t>(1, cost().count()));
    run().MoveTo(std::move(z), c.L / (c.mu * n));
    const auto i = static_cast<double>(calibrator().draws() + 1);
    const Forgetting forgetting{
        algorithm_3::PrintedShift(c, hessian_lipschitz(), tau, i),
        algorithm_3::PrintedSigma(c, hessian_lipschitz(), tau, i, calibrator().promise().rho)};
    Draw(HeldOf(batch), forgetting);
    return forgetting;
  }
};

}  // namespace

std::unique_ptr<Unlearner> MakeAlgorithm3(const ModeContext& context) {
  return std::make_unique<Algorithm3>(context);
}

std::unique_ptr<Unlearner> MakePrintedAlgorithm3(const ModeContext& context) {
  return std::make_unique<PrintedAlgorithm3>(context);
}

}  // namespace lethe
