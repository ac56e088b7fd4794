#include "tests/support/proof_plants.h"

#include "tests/support/passive_spec.h"

namespace lethe::proof {

Spec LogisticSpec(double eta, double lambda, double radius, double mu) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  spec.model.lambda = lambda;
  spec.model.radius = radius;
  spec.learning.eta = eta;
  spec.forgetting.budget = {.epsilon = {}, .delta = {}, .mu = mu, .rho = {}};
  return spec;
}

void PushAlong(Script& script) { script.LearnMany(3000, Vector::Unit(2, 0), 1); }

std::int64_t Oppose(Script& script, std::optional<std::uint64_t> subject) {
  return script.Learn(Vector::Unit(2, 0), -1, subject);
}

Script OneDeletion(const Spec& spec) {
  Script script(spec);
  PushAlong(script);
  script.Forget({Oppose(script)});
  return script;
}

}  // namespace lethe::proof
