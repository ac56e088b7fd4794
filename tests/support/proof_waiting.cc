#include "tests/support/proof_waiting.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"

namespace lethe::proof {
namespace {

Spec WithoutNoise(Spec spec) {
  spec.noise.source = NoiseKind::kDisabled;
  if (spec.forgetting.mode == "passive") spec.forgetting.shrink.off = true;
  return spec;
}

// Waits of about `events` events, which are 10 ms apart.
void SetWaiting(Waiting waiting, std::int64_t events, ForgettingSpec& forgetting) {
  switch (waiting) {
    case Waiting::kDeadlineEvents: forgetting.deadline.events = events; break;
    case Waiting::kDeadlineTime: forgetting.deadline.event_time_ms = 10 * events; break;
    case Waiting::kWindowEvents: forgetting.batch_window.events = events; break;
    case Waiting::kWindowTime: forgetting.batch_window.event_time_ms = 10 * events; break;
    case Waiting::kWindowDeadline:
      forgetting.batch_window.event_time_ms = 10 * events;
      forgetting.deadline.events = events;
  }
}

// The validator compares |x| as computed.
constexpr double kInside = 1 - 1e-12;

}  // namespace

WaitingScript::WaitingScript(const Spec& spec)
    : script_(spec), plan_(Plan::Make(WithoutNoise(spec)).value()) {
  shard_ = std::make_unique<Shard>(plan_, ShardIdentity::New({0}, random_),
                                   ShardPorts{state_, payloads_, sink_, *this, hasher_, random_});
}

void WaitingScript::Feed(EventKind kind, std::int64_t index, const Vector& x, double y,
                         std::optional<std::uint64_t> subject) {
  Record record;
  record.offset = {offset_++};
  record.timestamp = {now_ms_};
  record.event.kind = kind;
  record.event.id = "e" + std::to_string(index);
  if (subject) record.event.subject = "u" + std::to_string(*subject);
  record.event.x.assign(x.begin(), x.end());
  record.event.y = y;
  RecordFeeder runner(*shard_, hooks_);
  LETHE_CHECK(runner.Process(record).ok());
  if (shard_->has_news()) LETHE_CHECK(runner.Commit().ok());
}

std::int64_t WaitingScript::Learn(const Vector& x, double y, std::optional<std::uint64_t> subject) {
  now_ms_ += 10;
  // First here: the step may end somebody's wait.
  const std::int64_t index = script_.Learn(x, y, subject);
  Feed(EventKind::kLearn, index, x, y, subject);
  LETHE_CHECK(shard_->counters().learned == index + 1);
  return index;
}

void WaitingScript::Ask(std::int64_t index) {
  script_.Release({index});
  Feed(EventKind::kDelete, index, {}, 0, {});
}

void WaitingScript::OnEffective(ShardId, std::span<const Target> batch,
                                const Forgetting& forgetting) {
  std::vector<std::int64_t> indices;
  for (const Target& target : batch) indices.push_back(target.index.value);
  script_.Forget(indices);
  sigmas_.push_back(forgetting.sigma);
}

std::optional<LinearRun> RandomWaitingRun(Dice& dice, Waiting waiting) {
  Spec spec = RandomSquaredSpec(dice);
  // The others begin with thousands of empty events; they add nothing to waiting.
  spec.learning.schedule = dice.Chance(0.5) ? ScheduleKind::kConstant : ScheduleKind::kHorizon;
  SetEta(RandomEta(dice, spec.model), spec.learning);
  spec.learning.horizon.deletions = 50;
  SetWaiting(waiting, 1 + static_cast<std::int64_t>(dice.LogUniform(1, 60)), spec.forgetting);
  if (dice.Chance(0.3)) spec.forgetting.target_sigma = spec.model.radius * dice.LogUniform(1e-3, 1);
  WaitingScript stream(spec);
  const auto d = static_cast<Eigen::Index>(spec.model.dimension);
  const double busy = dice.LogUniform(0.02, 0.5), asking = dice.LogUniform(0.02, 0.2);
  const bool aligned = dice.Chance(0.5);
  std::vector<std::int64_t> alive;
  for (std::int64_t left = 20 + dice.Below(280); left > 0 || stream.HasWaiting(); --left) {
    if (left > 0 && dice.Chance(busy)) {
      const double length = spec.model.feature_norm * (dice.Chance(0.5) ? 1 : dice.Uniform());
      const Vector x = aligned ? Vector(Vector::Unit(d, 0) * length) : dice.Direction(d, length);
      const double y = spec.model.label_bound * (dice.Chance(0.5) ? 1 : dice.Uniform(-1, 1));
      alive.push_back(stream.Learn(x * kInside, y, static_cast<std::uint64_t>(dice.Below(4))));
    } else {
      stream.Learn(Vector::Zero(d), 0);
    }
    if (dice.Chance(0.1)) stream.Wait(dice.Below(200));
    if (left <= 0 || alive.empty() || !(left == 1 || dice.Chance(asking))) continue;
    const auto next = alive.begin() + dice.Below(static_cast<std::int64_t>(alive.size()));
    stream.Ask(*next);
    alive.erase(next);
  }
  LinearRun run = std::move(stream).Take();
  if (run.sigmas.empty()) return std::nullopt;
  return InRegime(std::move(run));
}

LinearRun TightWaitingRun(Dice& dice, Waiting waiting) {
  const double feature_norm = dice.LogUniform(0.3, 3);
  const double lambda = feature_norm * feature_norm * dice.LogUniform(10, 1000);
  const std::int64_t deleted = 2 + dice.Below(5);
  Spec spec = TightSpec(feature_norm, lambda, dice.LogUniform(0.2, 4));
  spec.model.dimension = 1 + dice.Below(3);
  // Together the deleted events move the model by at most half the radius.
  spec.learning.eta =
      0.5 / (static_cast<double>(deleted) * 402 * (feature_norm * feature_norm + lambda));
  spec.forgetting.guarantee = static_cast<Guarantee>(dice.Below(2));
  SetWaiting(waiting, 10 + dice.Below(300), spec.forgetting);
  WaitingScript stream(spec);
  const auto d = static_cast<Eigen::Index>(spec.model.dimension);
  const Vector x = dice.Direction(d, feature_norm) * kInside;
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < deleted; ++i) {
    order.push_back(stream.Learn(x, spec.model.label_bound, 1));
  }
  const auto pass = [&](std::int64_t count) {
    for (; count > 0; --count) {
      stream.Learn(Vector::Zero(d), 0);
      if (dice.Chance(0.05)) stream.Wait(dice.Below(400));
    }
  };
  while (!order.empty()) {
    pass(dice.Below(400));
    const auto next = order.begin() + dice.Below(static_cast<std::int64_t>(order.size()));
    stream.Ask(*next);
    order.erase(next);
  }
  while (stream.HasWaiting()) pass(1);
  return std::move(stream).Take();
}

LinearRun WaitingDescentRun(Dice& dice, Waiting waiting) {
  Spec spec = RandomActiveSpec(dice, ActiveVariant::kLedger);
  spec.forgetting.active.steps = 1 + dice.Below(2);
  spec.forgetting.guarantee = static_cast<Guarantee>(dice.Below(2));
  SetWaiting(waiting, 1 + dice.Below(30), spec.forgetting);
  WaitingScript stream(spec);
  const auto d = static_cast<Eigen::Index>(spec.model.dimension);
  const Vector x = dice.Direction(d, spec.model.feature_norm) * kInside;
  std::vector<std::int64_t> later;
  for (std::int64_t left = 60 + dice.Below(100); left > 0 || stream.HasWaiting(); --left) {
    const bool odd = left > 0 && dice.Chance(0.1);
    const std::int64_t index =
        stream.Learn(x, odd ? spec.model.label_bound : -spec.model.label_bound,
                     static_cast<std::uint64_t>(dice.Below(2)));
    if (odd) later.push_back(index);
    if (dice.Chance(0.1)) stream.Wait(dice.Below(200));
    if (left <= 0 || later.empty() || !dice.Chance(0.1)) continue;
    const auto next = later.begin() + dice.Below(static_cast<std::int64_t>(later.size()));
    stream.Ask(*next);
    later.erase(next);
  }
  return std::move(stream).Take();
}

}  // namespace lethe::proof
