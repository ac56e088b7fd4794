#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The configuration of the engine as plain values. Names and defaults are those of the
// configuration file, whose reader checks types only. Plan::Make (engine/plan.h) validates a Spec.
// All structs are value types.
namespace lethe {

enum class LossKind { kLogistic, kSquared, kHuber, kSoftmax };
enum class Oversized { kReject, kRescale };
// How a gradient becomes a step: one step size for all weights, or one for each weight, which is a
// function of the gradients so far.
enum class UpdateKind { kSgd, kAdagrad, kFtrl, kNormalised };
// Whose rows the settings were chosen on: nobody's, rows that are public and stay, or rows that may
// be deleted later.
enum class TunedOn { kNone, kPublic, kPrivate };
enum class ScheduleKind { kConstant, kInverseTime, kInverseSqrt, kHorizon, kAdaptive };
enum class Guarantee { kJoint, kPerRequest };
// Whether the stated budget is that of all shards together, whose average is served, or of each
// shard alone.
enum class GuaranteeScope { kFleet, kShard };
enum class Split { kCurve, kZeta, kHorizon };
enum class Calibration { kLedger, kPaper, kRecursion };
enum class NoiseKind { kSystem, kSeeded, kDisabled };

struct ModelSpec {
  LossKind loss = LossKind::kLogistic;
  std::int64_t dimension = 0;             // dense features; required unless hash_bits is set
  std::optional<std::int64_t> hash_bits;  // named features, hashed to 2^hash_bits weights
  bool bias = false;
  double feature_norm = 1.0;
  Oversized oversized = Oversized::kReject;
  double label_bound = 1.0;
  double huber_width = 1.0;
  double lambda = 0.01;
  bool lambda_is_auto = false;  // Plan::Make replaces lambda by what suits the mode and the steps
  double radius = 12;
  std::int64_t classes = 0;              // softmax: how many; at least 2
  std::vector<std::string> class_names;  // softmax: their names, if labels are names; or empty
  double weight_bound = 1;               // the largest importance weight of an event
};

// Maps of the features of one event (engine/spec/features.h). None of them remembers an event.
enum class NormaliseKind { kNone, kL2 };
enum class TextFeatures { kNone, kWords, kNgrams };

struct FourierSpec {
  std::int64_t dimension = 0;  // random Fourier features; 0: none
  double gamma = 1;            // of the Gaussian kernel exp(-gamma |x - y|^2)
  std::int64_t seed = 1;
};

// Means and deviations by which features are scaled. They come from a file.
struct ScaleSpec {
  std::string file;  // its path; empty: no scaling
  std::string sha256;
  bool is_public = false;          // false: made from rows that may be deleted later
  std::vector<std::string> names;  // of the features; for dense ones it may be empty
  std::vector<double> mean;
  std::vector<double> deviation;
};

struct FeaturesSpec {
  TextFeatures text = TextFeatures::kNone;
  ScaleSpec scale;
  std::vector<std::pair<std::string, std::string>> cross;  // pairs of namespaces
  std::optional<double> clip;
  NormaliseKind normalise = NormaliseKind::kNone;
  FourierSpec fourier;
};

struct HorizonSpec {
  std::int64_t events = 100000;
  std::int64_t deletions = 100;
};

struct LearningSpec {
  UpdateKind update = UpdateKind::kSgd;
  bool update_is_auto = false;  // Plan::Make replaces update by what suits the mode
  ScheduleKind schedule = ScheduleKind::kConstant;
  std::optional<double> eta;  // nullopt: auto
  HorizonSpec horizon;
  TunedOn tuned_on = TunedOn::kNone;
};

// The promise as the user states it, in exactly one of three forms: epsilon and delta, mu, or rho.
struct BudgetSpec {
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::optional<double> mu;
  std::optional<double> rho;
};

// The length of a wait: a number of learn events, or a span of event time, or none.
struct Wait {
  std::int64_t events = 0;
  std::int64_t event_time_ms = 0;
  bool none() const { return events == 0 && event_time_ms == 0; }
};

enum class ActiveVariant { kSecondOrder, kLedger, kPaper, kAlgorithm3, kAlgorithm3Paper };

struct ActiveSpec {
  ActiveVariant variant = ActiveVariant::kSecondOrder;
  double tolerance = 1e-10;
  std::optional<std::int64_t> steps;   // nullopt: auto
  std::optional<std::int64_t> window;  // nullopt: all retained events
};

// The modes that learn by minimising the mean cost of all retained events, periodically.
struct ErmSpec {
  std::int64_t warmup = 1000;       // learn events before the first training
  std::int64_t refit_every = 1000;  // learn events between two updates
  std::int64_t steps = 100;         // gradient steps of an update
};

// Mode certified_removal.
enum class RemovalVariant { kSound, kPaper };
enum class RemovalSolver { kNewton, kChord };

struct RemovalSpec {
  RemovalSolver solver = RemovalSolver::kNewton;  // sound
  double perturbation = 1;                        // paper: the sigma of b
};

// Modes noisy and noisy_gd: whether requests may depend on released models.
enum class Requests { kOblivious, kAdaptive };

struct NoisySpec {
  std::optional<double> mu;  // privacy of retained events in each model; nullopt: the budget's
  Requests requests = Requests::kOblivious;
};

struct OnlineDpSpec {
  std::int64_t deletions = 1;          // the budget suffices for this many deleted events
  std::optional<std::int64_t> events;  // T, if it is known
};

// Mode fats: rounds of federated averaging on sampled events.
enum class FatsClient { kSubject, kIndex };

struct FatsSpec {
  FatsClient client = FatsClient::kSubject;  // the client of an event: by subject, or index mod M
  std::int64_t clients = 20;                 // M
  std::int64_t draws = 2;                    // K: clients of a round
  std::int64_t local_steps = 5;              // E
  std::int64_t batch = 10;                   // b: events of a step
  std::int64_t round_every = 1000;           // learn events between two rounds
};

// How much of the stream is retained, as its owner states it. In mode rewind no model depends on an
// event that lies further back. In mode passive every draw covers what such events did.
struct Retention {
  bool all = false;  // the whole stream
  // Learn events; if this and time_ms are 0: auto (engine/spec/retention.h,
  // engine/privacy/horizon.h).
  std::int64_t events = 0;
  std::int64_t time_ms = 0;  // event time; mode rewind only
  bool is_auto() const { return !all && events == 0 && time_ms == 0; }
};

// Mode passive: whether the model is multiplied by a public factor below 1 before a draw. The
// factor rests on a guess of the model's norm.
struct ShrinkSpec {
  bool off = false;
  double norm = 0;  // the guess; 0: auto (engine/learning/calibrator.h)
  bool is_auto() const { return !off && norm == 0; }
};

struct ForgettingSpec {
  std::string mode = "rewind";
  Retention retention;
  Guarantee guarantee = Guarantee::kJoint;
  GuaranteeScope guarantee_scope = GuaranteeScope::kFleet;
  BudgetSpec budget{.epsilon = 1.0, .delta = 1e-6, .mu = {}, .rho = {}};
  Split split = Split::kCurve;
  Calibration calibration = Calibration::kLedger;
  Wait batch_window;
  Wait deadline;
  double target_sigma = 0;
  ShrinkSpec shrink;
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
  FeaturesSpec features;
  LearningSpec learning;
  ForgettingSpec forgetting;
  NoiseSpec noise;
  std::int64_t erase_within_ms = 60'000;  // from the effective deletion, in event time
  std::int64_t refuse_late_for_ms = 8LL * 24 * 3600 * 1000;  // from the request, in event time
  std::string topic = "events";  // names events that carry no id: topic/partition/offset
};

// The names of the values in the configuration file. The texts are static.
const char* Name(LossKind kind);
const char* Name(Oversized kind);
const char* Name(UpdateKind kind);
const char* Name(TunedOn rows);
const char* Name(ScheduleKind kind);
const char* Name(NormaliseKind kind);
const char* Name(TextFeatures kind);
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

// Whether this mode uses ErmSpec.
bool UsesErm(const std::string& mode);

// The certificate part of the configuration (model, features, learning, forgetting, noise.source)
// as one line of JSON with a fixed order of keys. Every receipt contains its SHA-256, and a state
// can be resumed only with an equal certificate part.
std::string CertificatePart(const Spec& spec);

}  // namespace lethe
