#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "engine/ports/example.h"
#include "engine/ports/payloads.h"
#include "engine/spec/loss.h"

// The formulas of certified removal (Guo, Goldstein, Hannun, van der Maaten 2020, "CR"), its
// misprints repaired. Costs are sums here and not means:
//   F(w) = sum of loss(<w,x>; y) + (lambda n/2)|w|^2 + <b,w>.
namespace lethe::removal {

// Third derivatives of the logistic loss are at most 1/(6 sqrt 3); CR calculates with 1/4.
inline constexpr double kThirdDerivative = 0.09622504486493764;
inline constexpr double kPrintedThirdDerivative = 0.25;

// The derivatives of F over the retained events before index `limit`. Each call is one pass over
// the payloads, which are borrowed. Not thread-safe.
class Sums {
 public:
  Sums(const Loss& loss, double lambda, const Payloads& payloads, std::int64_t limit)
      : loss_(loss), lambda_(lambda), payloads_(payloads), limit_(limit) {}

  std::int64_t count() const;
  Vector Gradient(const Vector& w) const;               // of F without <b,w>
  Eigen::MatrixXd Hessian(const Vector& w) const;       // of F
  Eigen::MatrixXd Outer(Eigen::Index dimension) const;  // sum of x x^T
  double FourthPowers(const Vector& s) const;           // sum of <x,s>^4

 private:
  template <typename Use>
  void ForEach(Eigen::Index dimension, Use use) const;

  Loss loss_;
  double lambda_;
  const Payloads& payloads_;
  std::int64_t limit_;
};

// argmin F in all of R^d, by Newton from w (CR Algorithm 1). Returns the norm of the gradient that
// is left.
double Train(const Sums& sums, const Vector& b, Vector& w);

// The Newton step that removes events (CR equations 3 and 6): `retained` are the sums without them.
struct Step {
  Vector gradient;  // D = m lambda w + sum over the removed of loss' x
  Vector s;         // H^-1 D, to be added to w
};
Step RemovalStep(const Sums& retained, const Loss& loss, double lambda,
                 std::span<const Example> removed, const Vector& w);

// Bounds on the gradient residual after the step, |x| <= R; `outer` is the retained sum of x x^T.
// CR Corollaries 1 and 2: g3 R |X| |s| |X s|.
double PrintedBound(const Eigen::MatrixXd& outer, const Vector& s, double R,
                    double third = kPrintedThirdDerivative);
// The integral remainder row by row: (g3/2) |X| sqrt(sum <x,s>^4). A diagnosis, not a budget.
double TighterBound(const Eigen::MatrixXd& outer, const Sums& retained, const Vector& s,
                    double third = kThirdDerivative);
// CR Theorem 1: 4 g3 C^2/(lambda^2 (n-1)), C the bound on |loss' x|.
double WorstCaseBound(double n, double lambda, double C, double third = kPrintedThirdDerivative);

// The residual that (epsilon, delta) allows: sigma epsilon / sqrt(2 ln(1.5/delta)).
double Budget(double sigma, double epsilon, double delta);

// The payload of one retained event; nullopt if the event is not retained. One pass over the
// payloads.
std::optional<Example> Find(const Payloads& payloads, EventIndex index, Eigen::Index dimension);

}  // namespace lethe::removal
