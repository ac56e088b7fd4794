#pragma once

#include <cstdint>
#include <optional>
#include <string>

// What the user asked for, as plain values: the certificate part of the configuration. The names
// and defaults are those of the configuration file; whoever fills these in has checked nothing
// but types. Validation is Constants::Derive (engine/spec/constants.h) and CheckSpec
// (engine/modes).
namespace lethe {

enum class LossKind { kLogistic, kSquared, kHuber };
enum class Oversized { kReject, kRescale };
enum class ScheduleKind { kConstant, kInverseTime, kInverseSqrt, kHorizon, kAdaptive };
enum class Guarantee { kJoint, kPerRequest };
// Whose budget is stated: that of all shards together, whose average is served, or of each alone.
enum class GuaranteeScope { kFleet, kShard };
enum class Split { kCurve, kZeta, kHorizon };
enum class Calibration { kLedger, kPaper, kRecursion };
enum class NoiseKind { kSystem, kSeeded, kDisabled };

struct ModelSpec {
  LossKind loss = LossKind::kLogistic;
  std::int64_t dimension = 0;             // dense features; required, or hash_bits
  std::optional<std::int64_t> hash_bits;  // named features, hashed into 2^hash_bits
  bool bias = false;
  double feature_norm = 1.0;
  Oversized oversized = Oversized::kReject;
  double label_bound = 1.0;
  double huber_width = 1.0;
  double lambda = 0.01;
  double radius = 12;
};

struct HorizonSpec {
  std::int64_t events = 100000;
  std::int64_t deletions = 100;
};

struct LearningSpec {
  ScheduleKind schedule = ScheduleKind::kConstant;
  std::optional<double> eta;  // none: auto
  HorizonSpec horizon;
};

// The promise as the user stated it: exactly one of the three forms.
struct BudgetSpec {
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::optional<double> mu;
  std::optional<double> rho;
};

// How long something may wait: a number of learn events, or a span of event time.
struct Wait {
  std::int64_t events = 0;
  std::int64_t event_time_ms = 0;
  bool none() const { return events == 0 && event_time_ms == 0; }
};

enum class ActiveVariant { kSecondOrder, kLedger, kPaper, kAlgorithm3, kAlgorithm3Paper };

struct ActiveSpec {
  ActiveVariant variant = ActiveVariant::kSecondOrder;
  double tolerance = 1e-10;
  std::optional<std::int64_t> steps;   // none: auto
  std::optional<std::int64_t> window;  // none: all
};

// The modes that learn by minimising the mean cost of all retained events, now and then.
struct ErmSpec {
  std::int64_t warmup = 1000;       // learn events before the first training
  std::int64_t refit_every = 1000;  // learn events that wait for the next update
  std::int64_t steps = 100;         // gradient steps of an update
};

// mode certified_removal.
enum class RemovalVariant { kSound, kPaper };
enum class RemovalSolver { kNewton, kChord };

struct RemovalSpec {
  RemovalSolver solver = RemovalSolver::kNewton;  // sound
  double perturbation = 1;                        // paper: the sigma of b
};

// Modes noisy and noisy_gd. Whether requests may depend on what was released.
enum class Requests { kOblivious, kAdaptive };

struct NoisySpec {
  std::optional<double> mu;  // privacy of retained events in each model; none: the budget's
  Requests requests = Requests::kOblivious;
};

struct OnlineDpSpec {
  std::int64_t deletions = 1;          // for so many events the budget suffices
  std::optional<std::int64_t> events;  // T, if it is known
};

// mode fats: rounds of federated averaging on sampled events.
enum class FatsClient { kSubject, kIndex };

struct FatsSpec {
  FatsClient client = FatsClient::kSubject;  // events of one person share a client, or index mod M
  std::int64_t clients = 20;                 // M
  std::int64_t draws = 2;                    // K: clients of a round
  std::int64_t local_steps = 5;              // E
  std::int64_t batch = 10;                   // b: events of a step
  std::int64_t round_every = 1000;           // learn events between two rounds
};

struct ForgettingSpec {
  std::string mode = "passive";
  Guarantee guarantee = Guarantee::kJoint;
  GuaranteeScope guarantee_scope = GuaranteeScope::kFleet;
  BudgetSpec budget{.epsilon = 1.0, .delta = 1e-6, .mu = {}, .rho = {}};
  Split split = Split::kCurve;
  Calibration calibration = Calibration::kLedger;
  Wait batch_window;
  Wait deadline;
  double target_sigma = 0;
  ActiveSpec active;
  ErmSpec erm;
  RemovalVariant variant = RemovalVariant::kSound;
  RemovalSpec removal;
  NoisySpec noisy;
  OnlineDpSpec online_dp;
  FatsSpec fats;
};

struct NoiseSpec {
  NoiseKind source = NoiseKind::kSystem;
  std::uint64_t seed = 1;
};

struct Spec {
  ModelSpec model;
  LearningSpec learning;
  ForgettingSpec forgetting;
  NoiseSpec noise;
  std::int64_t erase_within_ms = 60'000;  // of a deletion, in event time
  std::int64_t refuse_late_for_ms = 8LL * 24 * 3600 * 1000;
  std::string topic = "events";  // names events that carry no id: topic/partition/offset
};

const char* Name(LossKind kind);
const char* Name(Oversized kind);
const char* Name(ScheduleKind kind);
const char* Name(Guarantee guarantee);
const char* Name(GuaranteeScope scope);
const char* Name(Split split);
const char* Name(Calibration calibration);
const char* Name(NoiseKind kind);
const char* Name(ActiveVariant variant);
const char* Name(RemovalVariant variant);
const char* Name(RemovalSolver solver);
const char* Name(Requests requests);
const char* Name(FatsClient client);

// Whether this mode minimises the mean cost now and then (ErmSpec).
bool UsesErm(const std::string& mode);

// The certificate part (model, learning, forgetting, noise.source) as one line of JSON with a fixed
// order of keys. Its SHA-256 stands in every receipt.
std::string CertificatePart(const Spec& spec);

}  // namespace lethe
