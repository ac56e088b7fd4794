#include "engine/modes/papers/secret_unlearner.h"

#include <utility>

#include "engine/privacy/noise.h"

namespace lethe {

SecretUnlearner::SecretUnlearner(const ModeContext& context)
    : ErmUnlearner(context), published_(Vector::Zero(run().model_dimension())) {}

void SecretUnlearner::Publish(Vector secret, double sigma) {
  const Stream stream{Stream::Purpose::kNoise, shard(), static_cast<std::uint64_t>(publishes_++)};
  const double radius = run().constants().radius;
  if (sigma > 0 && draws_noise()) AddGridNoise(secret, sigma, radius, random(), stream);
  Project(secret, radius);
  published_ = std::move(secret);
  sigma_ = sigma;
}

void SecretUnlearner::SaveMore(SavingArchive& archive) {
  ErmUnlearner::SaveMore(archive);
  archive(published_, publishes_, sigma_);
}

void SecretUnlearner::LoadMore(LoadingArchive& archive) {
  ErmUnlearner::LoadMore(archive);
  archive(published_, publishes_, sigma_);
}

}  // namespace lethe
