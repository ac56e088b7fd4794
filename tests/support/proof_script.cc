#include "tests/support/proof_script.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/modes/online_unlearner.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/proof_random.h"

namespace lethe::proof {
namespace {

Plan MustPlan(Spec spec) {
  if (spec.forgetting.mode == "passive" && spec.forgetting.shrink.is_auto()) {
    spec.forgetting.shrink.off = true;
  }
  auto plan = Plan::Make(spec);
  if (!plan.ok()) std::fprintf(stderr, "%s\n", plan.status().message().c_str());
  return std::move(plan).value();
}

Stream NoiseOf(std::size_t request) { return {Stream::Purpose::kNoise, ShardId{0}, request}; }

}  // namespace

Script::Script(const Spec& spec) : plan_(MustPlan(spec)) {}

std::int64_t Script::Learn(Vector x, double y, std::optional<std::uint64_t> subject) {
  events_.push_back({std::move(x), y});
  subjects_.emplace_back();
  released_.emplace_back();
  if (subject) subjects_.back() = KeyHash{*subject, 1};
  return static_cast<std::int64_t>(events_.size()) - 1;
}

void Script::LearnMany(std::int64_t count, const Vector& x, double y) {
  for (std::int64_t i = 0; i < count; ++i) Learn(x, y);
}

void Script::Release(const std::vector<std::int64_t>& indices) {
  for (const std::int64_t index : indices) {
    auto& released = released_[static_cast<std::size_t>(index)];
    if (!released) released = requests_.size();
  }
}

void Script::Forget(const std::vector<std::int64_t>& indices) {
  Release(indices);
  Request request{static_cast<std::int64_t>(events_.size()), {}};
  for (const std::int64_t index : indices) {
    request.batch.push_back({{index}, subjects_[static_cast<std::size_t>(index)]});
  }
  requests_.push_back(std::move(request));
}

template <typename OnLearn, typename OnForget>
void Script::Play(std::size_t last, OnLearn learn, OnForget forget) const {
  std::size_t event = 0;
  for (std::size_t i = 0; i <= last; ++i) {
    const auto after = static_cast<std::size_t>(requests_[i].after);
    for (; event < after; ++event) learn(events_[event]);
    forget(requests_[i].batch);
  }
}

std::unique_ptr<Unlearner> Script::NewMode(const Spec& spec, RandomSource& random,
                                           Payloads& payloads) const {
  return plan_.mode->make({.spec = spec,
                           .constants = plan_.constants,
                           .schedule = plan_.schedule,
                           .promise = plan_.promise,
                           .shard = ShardId{0},
                           .random = random,
                           .payloads = payloads});
}

std::vector<double> Script::Sigmas() const {
  std::vector<double> sigmas;
  for (const Forgetting& draw : Draws()) sigmas.push_back(draw.sigma);
  return sigmas;
}

std::vector<Forgetting> Script::Draws() const {
  Spec spec = plan_.spec;
  spec.noise.source = NoiseKind::kDisabled;
  KeyedRandom unused(0);
  MemoryPayloads payloads;
  const auto mode = NewMode(spec, unused, payloads);
  std::vector<Forgetting> draws;
  Play(
      requests_.size() - 1, [&](const Example& example) { mode->Learn(example); },
      [&](const std::vector<Target>& batch) {
        std::vector<Target> known;
        for (const Target& target : batch) {
          if (!mode->covers_old() || target.index >= mode->anchor()) known.push_back(target);
        }
        mode->Release(known);
        draws.push_back(
            (known.empty() ? mode->ForgetUnknown(batch.front().subject) : mode->Forget(known))
                .value());
      });
  return draws;
}

Vector Script::ModelOfMode(std::size_t last, RandomSource& random) const {
  MemoryPayloads payloads;
  const auto mode = NewMode(plan_.spec, random, payloads);
  Play(
      last, [&](const Example& example) { mode->Learn(example); },
      [&](const std::vector<Target>& batch) {
        mode->Release(batch);
        LETHE_CHECK(mode->Forget(batch).ok());
      });
  return mode->model();
}

std::vector<bool> Script::Blank(std::size_t request) const {
  std::vector<bool> blank(events_.size(), false);
  const auto concerned = [&](const Target& target) {
    const auto& batch = requests_[request].batch;
    return target.subject && std::any_of(batch.begin(), batch.end(), [&](const Target& own) {
             return own.subject == target.subject;
           });
  };
  const bool joint = plan_.spec.forgetting.guarantee == Guarantee::kJoint;
  for (std::size_t i = 0; i <= request; ++i) {
    for (const Target& target : requests_[i].batch) {
      if (joint || i == request || concerned(target)) {
        blank[static_cast<std::size_t>(target.index.value)] = true;
      }
    }
  }
  return blank;
}

OnlineRun Script::NewRun() const {
  OnlineRun run = NewOnlineRun(plan_.spec, plan_.constants, plan_.schedule);
  if (BlankIsAStep()) run.SetBlank(Ledger::Blank::kRegulariser);
  return run;
}

World::World(const Script& script, std::vector<bool> blank, std::vector<double> sigmas)
    : script_(script),
      blank_(std::move(blank)),
      sigmas_(std::move(sigmas)),
      start_(script.NewRun()) {
  blank_.resize(script.events().size(), false);
  if (script.BlankIsAStep() && !script.plan().spec.forgetting.shrink.off) {
    for (const Forgetting& draw : script.Draws()) shrinks_.push_back(draw.shrink);
  }
  Advance(start_, script.requests().front().after);
}

void World::Advance(OnlineRun& run, std::int64_t until) const {
  while (run.ledger().steps() < until) {
    const auto event = static_cast<std::size_t>(run.ledger().steps());
    if (blank_[event] && script_.BlankIsAStep()) {
      run.Learn({Vector::Zero(run.model_dimension()), 0});
    } else if (blank_[event]) {
      run.Skip();
    } else {
      run.Learn(script_.events()[event]);
    }
  }
}

void World::Draw(std::size_t request, RandomSource& random, OnlineRun& run) const {
  const double shrink = shrinks_.empty() ? 1 : shrinks_[request];
  if (shrink < 1) run.Shrink(shrink);
  if (sigmas_[request] > 0) run.Draw(sigmas_[request], random, NoiseOf(request));
}

OnlineRun World::Before(std::size_t last, std::uint64_t seed) const {
  KeyedRandom random(seed);
  OnlineRun run = start_;
  for (std::size_t i = 0; i <= last; ++i) {
    Advance(run, script_.requests()[i].after);
    if (i < last) Draw(i, random, run);
  }
  return run;
}

Vector World::Sample(std::size_t last, std::uint64_t seed) const {
  OnlineRun run = Before(last, seed);
  KeyedRandom random(seed);
  Draw(last, random, run);
  return run.model();
}

Vector World::Noiseless(std::size_t last) const {
  OnlineRun run = start_;
  Advance(run, script_.requests()[last].after);
  return run.model();
}

}  // namespace lethe::proof
