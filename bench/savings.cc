// The noise of mode passive before and after its four savings (docs/guarantee.md): the reserve, the
// diameter, the blank that is a step on the regulariser, and the shrink.
//
//   savings ratios                 3,000 random runs: by how much a draw exceeds what was needed
//   savings FILE.ndjson [KEY=VALUE ...]
//       one stream with its deletions at once: sigma before and after, and accuracy. Keys: lambda,
//       radius, hash_bits, shrink (auto, off, or a guess of the norm), per_request (1), runs, noise
//       (0: none)
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "connectors/json/event_codec.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "engine/learning/calibrator.h"
#include "engine/modes/online_unlearner.h"
#include "engine/shard/shard.h"
#include "state/memory_state.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/proof_random.h"

namespace lethe {
namespace {

double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

// The calibration without the four savings: a blank is no step, the least sigma of the curve, no
// cap, no shrink. For requests that take effect at once.
class Before {
 public:
  explicit Before(const Plan& plan)
      : plan_(plan), run_(NewOnlineRun(plan.spec, plan.constants, plan.schedule)) {}

  double Draw(std::int64_t steps, std::span<const Target> batch) {
    while (run_.ledger().steps() < steps) run_.Skip();
    const DoubleDouble now = run_.ledger().Log();
    std::vector<ShiftNoiseCurve::Group> groups;
    for (const Target& target : batch) {
      const bool joint = plan_.spec.forgetting.guarantee == Guarantee::kJoint;
      const ShiftNoiseCurve::Group group =
          joint ? ShiftNoiseCurve::Group(KeyHash{}) : ShiftNoiseCurve::Group(target.subject);
      if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
      curve_.AddShift(group, target.index.value + 1, run_.ledger().Influence(target.index), now);
    }
    const double sigma = curve_.LeastSigma(
        groups, plan_.promise.rho, [&](double s) { return run_.ExtraShift(s); }, now);
    curve_.AddDraw(steps, sigma * sigma, now);
    run_.BookDraw(sigma);
    return sigma;
  }

 private:
  const Plan& plan_;
  OnlineRun run_;
  ShiftNoiseCurve curve_;
};

class Watch final : public Probe {
 public:
  explicit Watch(const Plan& plan) : before_(plan) {}

  void OnLearn(ShardId, const LearnedStep& step) override {
    ++steps_;
    right_ += (step.prediction.score > 0) == (step.example.y > 0);
  }
  void OnEffective(ShardId, std::span<const Target> batch, const Forgetting& forgetting) override {
    after.push_back(forgetting.sigma);
    shrinks.push_back(forgetting.shrink);
    before.push_back(before_.Draw(steps_, batch));
  }
  double accuracy() const { return static_cast<double>(right_) / static_cast<double>(steps_); }

  std::vector<double> before, after, shrinks;

 private:
  Before before_;
  std::int64_t steps_ = 0, right_ = 0;
};

class NoSink final : public Sink {
 public:
  Status Publish(ShardId, ChainKind, std::string_view) override { return Status::Ok(); }
};

void Must(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(1);
}

int OneStream(const std::string& path, std::map<std::string, std::string> keys) {
  const auto number = [&](const char* key, double otherwise) {
    return keys.contains(key) ? std::stod(keys[key]) : otherwise;
  };
  std::vector<Record> records;
  std::ifstream file(path);
  JsonEventCodec codec;
  for (std::string line; std::getline(file, line);) {
    Record record;
    codec.DecodeLine(line, record);
    record.offset = {static_cast<std::int64_t>(records.size())};
    records.push_back(std::move(record));
  }
  Spec spec;
  spec.model.dimension = static_cast<std::int64_t>(records.at(0).event.x.size());
  if (keys.contains("hash_bits"))
    spec.model.hash_bits = static_cast<std::int64_t>(number("hash_bits", 0));
  spec.model.lambda = number("lambda", spec.model.lambda);
  spec.model.radius = number("radius", spec.model.radius);
  spec.model.oversized = Oversized::kRescale;
  if (number("per_request", 0) > 0) spec.forgetting.guarantee = Guarantee::kPerRequest;
  if (number("noise", 1) == 0) spec.noise.source = NoiseKind::kDisabled;
  const std::string shrink = keys["shrink"];
  spec.forgetting.shrink.off = shrink == "off";
  if (!shrink.empty() && shrink != "off" && shrink != "auto") {
    spec.forgetting.shrink.norm = std::stod(shrink);
  }
  const auto plan = Plan::Make(spec);
  Must(plan.status());
  SystemRandom random;
  SodiumHasher hasher;
  NoSink sink;
  std::vector<double> accuracy;
  for (int i = 0; i < static_cast<int>(number("runs", 5)); ++i) {
    MemoryState state;
    MemoryPayloads payloads;
    Watch watch(plan.value());
    Shard shard(plan.value(), ShardIdentity::New({0}, random),
                {state, payloads, sink, watch, hasher, random});
    Must(shard.Resume());
    const Admission admission = shard.NewAdmission();
    ItemBatch items;
    for (const Record& record : records) {
      Record copy = record;
      items.Clear(1);
      items.Admit(admission, 0, copy);
      Must(shard.Process(record.position(), items.item(0)));
      if (!shard.has_news()) continue;
      Must(shard.Commit());
      Must(shard.Publish());
    }
    accuracy.push_back(watch.accuracy());
    if (i > 0) continue;
    std::vector<double> ratio;
    for (std::size_t k = 0; k < watch.before.size(); ++k) {
      ratio.push_back(watch.after[k] / watch.before[k]);
    }
    std::printf("%s: %zu records, %zu draws, guess of |z| %.3g, |z| at the end %.3g\n",
                path.c_str(), records.size(), watch.after.size(),
                spec.forgetting.shrink.is_auto()
                    ? Calibrator::GuessOfNorm(spec, plan.value().constants)
                    : spec.forgetting.shrink.norm,
                std::sqrt(shard.unlearner().SquaredNorm()));
    const auto print = [](const char* name, const std::vector<double>& values) {
      std::printf("  %-16s median %.4g   5%% %.4g   95%% %.4g\n", name, Quantile(values, 0.5),
                  Quantile(values, 0.05), Quantile(values, 0.95));
    };
    print("sigma before", watch.before);
    print("sigma after", watch.after);
    print("after/before", ratio);
    print("shrink", watch.shrinks);
  }
  std::printf("  accuracy         median %.4f   of", Quantile(accuracy, 0.5));
  for (const double value : accuracy) std::printf(" %.4f", value);
  std::printf("\n");
  return 0;
}

// The drawn sigma over the one that the exact distance of the two worlds needs. Before its first
// draw a run is a point in each world, so the distance is exact.
int Ratios() {
  using proof::Dice;
  std::vector<double> before, after;
  for (std::uint64_t seed = 1; before.size() < 3000; ++seed) {
    Dice dice(seed);
    Spec spec;
    spec.model.loss = static_cast<LossKind>(dice.Below(3));
    spec.model.dimension = 1 + dice.Below(5);
    spec.model.lambda = dice.LogUniform(1e-4, 0.3);
    spec.model.radius = dice.LogUniform(0.05, 5);
    spec.model.label_bound = dice.LogUniform(0.1, 10);
    spec.learning.schedule = static_cast<ScheduleKind>(dice.Below(4));
    spec.learning.eta =
        Constants::Derive(spec.model).value().max_step() * dice.LogUniform(1e-3, 0.999);
    const double mu = dice.LogUniform(0.1, 5);
    spec.forgetting.budget = {.epsilon = {}, .delta = {}, .mu = mu, .rho = {}};
    const Plan plan = Plan::Make(spec).value();
    const auto start = [&] { return NewOnlineRun(plan.spec, plan.constants, plan.schedule); };
    // Real, and the reference worlds of both definitions.
    OnlineRun real = start(), on_regulariser = start(), no_step = start();
    real.SetBlank(Ledger::Blank::kRegulariser);
    const Vector axis = Vector::Unit(spec.model.dimension, 0);
    const double label = spec.model.loss == LossKind::kLogistic ? 1 : spec.model.label_bound;
    std::vector<Target> batch;
    for (std::int64_t left = 1 + dice.Below(300); left > 0 || batch.empty(); --left) {
      const bool theirs = dice.Chance(0.5) || left <= 0;
      const Example event{axis, theirs ? -label : label};
      if (theirs) batch.push_back({{real.ledger().steps()}, {}});
      real.Learn(event);
      theirs ? on_regulariser.Learn({Vector::Zero(axis.size()), 0}) : on_regulariser.Learn(event);
      theirs ? no_step.Skip() : static_cast<void>(no_step.Learn(event));
    }
    const double least = std::sqrt(2 * plan.promise.rho);
    const double old_distance = (real.model() - no_step.model()).norm();
    const double distance = (real.model() - on_regulariser.model()).norm();
    if (!(old_distance > 1e-6 * spec.model.radius) || !(distance > 1e-6 * spec.model.radius))
      continue;
    Before old(plan);
    before.push_back(old.Draw(real.ledger().steps(), batch) * least / old_distance);
    const Calibrator calibrator(plan.spec, plan.constants, plan.promise);
    std::vector<Calibrator::Held> held;
    for (const Target& target : batch) held.push_back(calibrator.Hold(target, real));
    const Forgetting draw = calibrator.Calibrate(held, real).value();
    after.push_back(draw.sigma * least / (distance * draw.shrink));
  }
  for (const auto& [name, values] : {std::pair("before", before), std::pair("after", after)}) {
    std::printf(
        "%-7s certified/exact distance over %zu random runs: largest %.4g, 95%% %.4g, "
        "median %.4g, least %.6f\n",
        name, values.size(), Quantile(values, 1), Quantile(values, 0.95), Quantile(values, 0.5),
        Quantile(values, 0));
  }
  return 0;
}

}  // namespace
}  // namespace lethe

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (std::string(argv[1]) == "ratios") return lethe::Ratios();
  std::map<std::string, std::string> keys;
  for (int i = 2; i < argc; ++i) {
    const std::string key = argv[i];
    keys[key.substr(0, key.find('='))] = key.substr(key.find('=') + 1);
  }
  return lethe::OneStream(argv[1], keys);
}
