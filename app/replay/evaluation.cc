#include "app/replay/evaluation.h"

namespace lethe {

void Evaluation::OnLearn(ShardId shard, const LearnedStep& step) {
  tally_.Add(step.prediction, step.example.y, step.example.w);
  unknown_members_ += step.unknown_members;
  if (regret_slots_ > 0) {
    sampled_.try_emplace(shard, loss_, *regret_constants_, regret_slots_).first->second.Learn(step);
  } else if (regret_constants_) {
    regrets_.try_emplace(shard, loss_, *regret_constants_).first->second.Learn(step);
  }
  if (events() < next_row_) return;
  next_row_ += every_;
  TellRow(shard, nullptr);
}

void Evaluation::OnEffective(ShardId shard, std::span<const Target> batch,
                             const Forgetting& forgetting) {
  if (forgetting.why_not != nullptr) {
    ++uncertified_;
    why_not_ = forgetting.why_not;
  }
  const auto regret = regrets_.find(shard);
  if (regret != regrets_.end()) regret->second.Forget(batch);
  const auto sampled = sampled_.find(shard);
  if (sampled != sampled_.end()) sampled->second.Forget(batch);
  TellRow(shard, &forgetting);
}

double Evaluation::Paid() const {
  double paid = 0;
  for (const auto& [shard, regret] : regrets_) paid += regret.paid();
  return paid;
}

double Evaluation::Comparator() const {
  double total = 0;
  for (const auto& [shard, regret] : regrets_) total += regret.Comparator();
  return total;
}

double Evaluation::EstimatedRegret() const {
  double total = 0;
  for (const auto& [shard, sampled] : sampled_) total += sampled.Estimate();
  return total;
}

std::int64_t Evaluation::RegretSample() const {
  std::int64_t total = 0;
  for (const auto& [shard, sampled] : sampled_) total += sampled.size();
  return total;
}

void Evaluation::TellRow(ShardId shard, const Forgetting* forgetting) {
  SeriesRow row{.shard = shard,
                .index = events(),
                .mean_loss = tally_.mean_loss(),
                .accuracy = tally_.accuracy(),
                .shift = {},
                .sigma = {},
                .seconds = {}};
  if (forgetting != nullptr) {
    row.shift = forgetting->shift;
    row.sigma = forgetting->sigma;
  }
  on_row_(row);
}

}  // namespace lethe
