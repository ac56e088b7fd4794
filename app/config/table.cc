#include "app/config/classes.h"
#include "app/config/feature_fields.h"
#include "app/config/field.h"
#include "app/config/kafka_fields.h"
#include "engine/spec/features.h"

namespace lethe::config {
namespace {

// A member of the Config, for reading as well as for writing.
#define LETHE_AT(member) \
  [](auto& config) -> auto& { return config.member; }

constexpr char kFile[] = "the path of a file";
constexpr char kNoBudget[] = "a budget of 0 would need infinite noise";

std::vector<Field> ModelFields() {
  return {
      Describe(
          "model.loss", LETHE_AT(spec.model.loss),
          Choice<LossKind>(
              {LossKind::kLogistic, LossKind::kSquared, LossKind::kHuber, LossKind::kSoftmax}),
          "what the model minimises; logistic tells two classes apart, softmax several, squared "
          "and huber predict a number"),
      DescribeClasses(),
      Describe("model.dimension", LETHE_AT(spec.model.dimension), ZeroIsNull(Integer(1, 1'000'000)),
               "length of the dense feature vector x; required, unless hash_bits is given"),
      Describe("model.hash_bits", LETHE_AT(spec.model.hash_bits), OrNull(Integer(1, 24)),
               "named features f, hashed into 2^hash_bits places; instead of dimension"),
      Describe("model.bias", LETHE_AT(spec.model.bias), Boolean(),
               "one more feature, always 1; the bound on |x| becomes sqrt(feature_norm^2 + 1)"),
      Describe("model.feature_norm", LETHE_AT(spec.model.feature_norm), Number({.most = 1e6}),
               "R, the bound on |x|, enforced on every event (after hashing)"),
      Describe("model.oversized", LETHE_AT(spec.model.oversized),
               Choice<Oversized>({Oversized::kReject, Oversized::kRescale}),
               "what happens to an event above feature_norm; rescale shrinks it to that norm"),
      Describe("model.label_bound", LETHE_AT(spec.model.label_bound), Number({}),
               "squared and huber: the bound on |y|, enforced on every event"),
      Describe("model.huber_width", LETHE_AT(spec.model.huber_width), Number({}),
               "huber: errors above this count linearly"),
      DescribeAuto(
          "model.lambda", LETHE_AT(spec.model.lambda), LETHE_AT(spec.model.lambda_is_auto),
          Number({.least = 1e-12,
                  .above = false,
                  .most = 1e6,
                  .why = "without regularisation nothing fades and no certificate is possible"}),
          "strength of the regularisation, which makes old events fade; auto: 0.01, and 1e-6 with "
          "steps per feature"),
      Describe("model.radius", LETHE_AT(spec.model.radius), Number({.most = 1e9}),
               "the model stays in a ball of this radius; it bounds what one event can change"),
      Describe("model.weight_bound", LETHE_AT(spec.model.weight_bound),
               Number({.least = 1e-6, .above = false, .most = 1e6}),
               "the largest importance weight w of an event, enforced on every event"),
  };
}

std::vector<Field> FeatureFields() {
  return {
      Describe(
          "features.text", LETHE_AT(spec.features.text),
          Choice<TextFeatures>({TextFeatures::kNone, TextFeatures::kWords, TextFeatures::kNgrams}),
          "named features whose value is a text become words; ngrams are words and pairs of "
          "adjacent words"),
      DescribeScale(),
      DescribeCross(),
      Describe("features.clip", LETHE_AT(spec.features.clip), OrNull(Number({.most = 1e100})),
               "each value is cut off at -clip and clip"),
      Describe("features.normalise", LETHE_AT(spec.features.normalise),
               Choice<NormaliseKind>({NormaliseKind::kNone, NormaliseKind::kL2}),
               "l2: each row is divided by its norm; a row of zeros stays one"),
      Describe("features.fourier.dimension", LETHE_AT(spec.features.fourier.dimension),
               ZeroIsNull(Integer(2, kMostFourierFeatures)),
               "so many random Fourier features instead of the row, for what is not linear; even"),
      Describe("features.fourier.gamma", LETHE_AT(spec.features.fourier.gamma),
               Number({.least = 1e-12, .above = false, .most = 1e12}),
               "their kernel is exp(-gamma |x - y|^2)"),
      Describe("features.fourier.seed", LETHE_AT(spec.features.fourier.seed), Integer(0),
               "the seed of their directions, which are public"),
  };
}

std::vector<Field> LearningFields() {
  return {
      DescribeAuto("learning.update", LETHE_AT(spec.learning.update),
                   LETHE_AT(spec.learning.update_is_auto),
                   Choice<UpdateKind>({UpdateKind::kSgd, UpdateKind::kAdagrad, UpdateKind::kFtrl,
                                       UpdateKind::kNormalised}),
                   "how gradients become steps: one step size (sgd), or one for each weight; auto: "
                   "adagrad in modes rewind, retrain and restart if neither eta nor a schedule is "
                   "given, and sgd otherwise"),
      Describe("learning.schedule", LETHE_AT(spec.learning.schedule),
               Choice<ScheduleKind>({ScheduleKind::kConstant, ScheduleKind::kInverseTime,
                                     ScheduleKind::kInverseSqrt, ScheduleKind::kAdaptive,
                                     ScheduleKind::kHorizon}),
               "how the step size changes over time"),
      Describe("learning.eta", LETHE_AT(spec.learning.eta), OrWord(Number({}), "auto"),
               "scale of the step sizes: eta, eta/sqrt(t), eta/(1 + eta mu t), eta/sqrt(squared "
               "gradients); auto depends on schedule and update"),
      Describe("learning.horizon.events", LETHE_AT(spec.learning.horizon.events), Integer(1),
               "schedule horizon: how many events are expected"),
      Describe("learning.horizon.deletions", LETHE_AT(spec.learning.horizon.deletions), Integer(1),
               "schedule horizon: how many deletions are expected"),
      Describe("learning.tuned_on", LETHE_AT(spec.learning.tuned_on),
               Choice<TunedOn>({TunedOn::kNone, TunedOn::kPublic, TunedOn::kPrivate}),
               "whose rows these settings were chosen on: private ones may be deleted later, and "
               "receipts say so"),
  };
}

std::vector<Field> ForgettingFields() {
  const auto budget = [] { return OrNull(Number({.why = kNoBudget})); };
  return {
      Describe("forgetting.mode", LETHE_AT(spec.forgetting.mode), Identifier("the name of a mode"),
               "how deletions are served: rewind, passive, active, noisy, restart, none, ..."),
      Describe("forgetting.retention", LETHE_AT(spec.forgetting.retention), RetainedEvents(),
               "mode rewind: no model depends on an event further back than this; mode passive: "
               "every draw covers what such events did, and nothing is kept of each"),
      Describe("forgetting.guarantee", LETHE_AT(spec.forgetting.guarantee),
               Choice<Guarantee>({Guarantee::kJoint, Guarantee::kPerRequest}),
               "whether the budget covers all deletions together or each one alone"),
      Describe("forgetting.guarantee_scope", LETHE_AT(spec.forgetting.guarantee_scope),
               Choice<GuaranteeScope>({GuaranteeScope::kFleet, GuaranteeScope::kShard}),
               "guarantee joint: whether the budget is that of all shards together, whose average "
               "is served, or of each shard; s shards keep mu sqrt(s) together"),
      Describe("forgetting.budget.epsilon", LETHE_AT(spec.forgetting.budget.epsilon), budget(),
               "the promise as (epsilon, delta)"),
      Describe("forgetting.budget.delta", LETHE_AT(spec.forgetting.budget.delta),
               OrNull(Number({.most = 1, .below = true, .why = kNoBudget})),
               "the promise as (epsilon, delta)"),
      Describe("forgetting.budget.mu", LETHE_AT(spec.forgetting.budget.mu), budget(),
               "the promise as mu of Gaussian differential privacy, instead of epsilon"),
      Describe("forgetting.budget.rho", LETHE_AT(spec.forgetting.budget.rho), budget(),
               "the promise as rho of zero-concentrated differential privacy, instead of epsilon"),
      Describe("forgetting.split", LETHE_AT(spec.forgetting.split),
               Choice<Split>({Split::kCurve, Split::kZeta, Split::kHorizon}),
               "how a joint budget is divided among the deletions to come"),
      Describe(
          "forgetting.calibration", LETHE_AT(spec.forgetting.calibration),
          Choice<Calibration>({Calibration::kLedger, Calibration::kPaper, Calibration::kRecursion}),
          "where the noise level comes from; paper is for comparison and never certified"),
      Describe("forgetting.batch_window", LETHE_AT(spec.forgetting.batch_window), EventsOrTime(),
               "deletions within this span are served by one draw of noise"),
      Describe("forgetting.deadline", LETHE_AT(spec.forgetting.deadline), EventsOrTime(),
               "how long a deletion may wait, so that it needs less noise"),
      Describe("forgetting.target_sigma", LETHE_AT(spec.forgetting.target_sigma),
               Number({.above = false}),
               "a waiting deletion is applied as soon as it needs no more noise than this"),
      Describe("forgetting.shrink", LETHE_AT(spec.forgetting.shrink), GuessOfNorm(),
               "mode passive: a guess of the model's norm; the model is shrunk before a draw whose "
               "noise is large against it"),
      Describe("forgetting.active.variant", LETHE_AT(spec.forgetting.active.variant),
               Choice<ActiveVariant>({ActiveVariant::kSecondOrder, ActiveVariant::kLedger,
                                      ActiveVariant::kPaper, ActiveVariant::kAlgorithm3,
                                      ActiveVariant::kAlgorithm3Paper}),
               "mode active: which computation removes the event"),
      Describe("forgetting.active.tolerance", LETHE_AT(spec.forgetting.active.tolerance),
               Number({}), "mode active: how exactly the minimiser is found"),
      Describe("forgetting.active.steps", LETHE_AT(spec.forgetting.active.steps),
               OrWord(Integer(1), "auto"), "mode active: steps for each deletion"),
      Describe("forgetting.active.window", LETHE_AT(spec.forgetting.active.window),
               OrWord(Integer(1), "all"), "mode active: how many of the latest events are used"),
      Describe("forgetting.erm.warmup", LETHE_AT(spec.forgetting.erm.warmup), Integer(2),
               "modes d2d_*, certified_removal, noisy_gd: learn events before the first training"),
      Describe("forgetting.erm.refit_every", LETHE_AT(spec.forgetting.erm.refit_every), Integer(1),
               "the same modes: learn events that wait for the next update"),
      Describe("forgetting.erm.steps", LETHE_AT(spec.forgetting.erm.steps), Integer(1, 1'000'000),
               "modes d2d_* and noisy_gd: gradient steps of an update"),
      Describe("forgetting.variant", LETHE_AT(spec.forgetting.variant),
               Choice<RemovalVariant>({RemovalVariant::kSound, RemovalVariant::kPaper}),
               "mode certified_removal: paper is for comparison and never certified"),
      Describe("forgetting.removal.solver", LETHE_AT(spec.forgetting.removal.solver),
               Choice<RemovalSolver>({RemovalSolver::kNewton, RemovalSolver::kChord}),
               "mode certified_removal: chord keeps a factorisation from deletion to deletion"),
      Describe("forgetting.removal.perturbation", LETHE_AT(spec.forgetting.removal.perturbation),
               Number({}), "certified_removal, variant paper: the noise in the cost function"),
      Describe("forgetting.noisy.mu", LETHE_AT(spec.forgetting.noisy.mu), OrNull(Number({})),
               "modes noisy, noisy_gd: how private retained events are in a model; null: as the "
               "budget"),
      Describe("forgetting.noisy.requests", LETHE_AT(spec.forgetting.noisy.requests),
               Choice<Requests>({Requests::kOblivious, Requests::kAdaptive}),
               "the same modes: adaptive certifies requests that depend on released models too"),
      Describe("forgetting.online_dp.deletions", LETHE_AT(spec.forgetting.online_dp.deletions),
               Integer(1), "mode online_dp: how many deleted events the noise is made for"),
      Describe("forgetting.online_dp.events", LETHE_AT(spec.forgetting.online_dp.events),
               OrNull(Integer(1)), "mode online_dp: how many events are expected; null: unknown"),
      Describe("forgetting.fats.client", LETHE_AT(spec.forgetting.fats.client),
               Without(Choice<FatsClient>({FatsClient::kSubject, FatsClient::kIndex}), "partition",
                       "every partition is a run of its own, so it would be the only client of it"),
               "mode fats: whether a person's events share a client"),
      Describe("forgetting.fats.clients", LETHE_AT(spec.forgetting.fats.clients),
               Integer(1, 1'000'000), "mode fats: how many clients there are"),
      Describe("forgetting.fats.draws", LETHE_AT(spec.forgetting.fats.draws), Integer(1, 1'000'000),
               "mode fats: clients that are drawn for a round"),
      Describe("forgetting.fats.local_steps", LETHE_AT(spec.forgetting.fats.local_steps),
               Integer(1, 1'000'000), "mode fats: steps of a client in a round"),
      Describe("forgetting.fats.batch", LETHE_AT(spec.forgetting.fats.batch), Integer(1, 1'000'000),
               "mode fats: events of a step"),
      Describe("forgetting.fats.round_every", LETHE_AT(spec.forgetting.fats.round_every),
               Integer(1), "mode fats: learn events between two rounds"),
  };
}

std::vector<Field> NoiseFields() {
  return {
      Describe(
          "noise.source", LETHE_AT(spec.noise.source),
          Choice<NoiseKind>({NoiseKind::kSystem, NoiseKind::kSeeded, NoiseKind::kDisabled}, "off"),
          "system is cryptographic; seeded and disabled never certify, and say so"),
      Describe("noise.seed", LETHE_AT(spec.noise.seed), Unsigned(),
               "source seeded: the same seed and stream give the same result"),
  };
}

std::vector<Field> SourceFields() {
  return {
      Describe("source.kafka.brokers", LETHE_AT(source.kafka.brokers), Brokers(),
               "where the first connection goes"),
      Describe("source.kafka.topic", LETHE_AT(spec.topic), Topic(),
               "the topic with the learn and delete events; it also names events without an id"),
      DescribePartitions(),
      Describe("source.kafka.partitioner", LETHE_AT(source.kafka.partitioner),
               Word({"murmur2", "murmur2_random", "consistent", "consistent_random", "fnv1a",
                     "fnv1a_random"}),
               "how the producers of the topic place keys, in librdkafka's words"),
      DescribeProperties(),
      Describe("source.kafka.security.protocol", LETHE_AT(source.kafka.security.protocol),
               OrNull(Word({"plaintext", "ssl", "sasl_plaintext", "sasl_ssl"})),
               "how brokers are talked to; null is plaintext"),
      Describe("source.kafka.security.mechanism", LETHE_AT(source.kafka.security.mechanism),
               OrNull(Word({"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI", "OAUTHBEARER"})),
               "SASL mechanism"),
      Describe("source.kafka.security.username", LETHE_AT(source.kafka.security.username),
               OrNull(Text("a user name")), "SASL user"),
      Describe("source.kafka.security.password_file", LETHE_AT(source.kafka.security.password_file),
               OrNull(Text(kFile)), "a file that holds the SASL password"),
      Describe("source.kafka.security.ca", LETHE_AT(source.kafka.security.ca), OrNull(Text(kFile)),
               "the certificate authority that signed the brokers' certificates"),
      Describe("source.kafka.security.certificate", LETHE_AT(source.kafka.security.certificate),
               OrNull(Text(kFile)), "our certificate, for brokers that ask for one"),
      Describe("source.kafka.security.key", LETHE_AT(source.kafka.security.key),
               OrNull(Text(kFile)), "the private key of our certificate"),
      Describe("source.start", LETHE_AT(source.start),
               Choice<Start>({Start::kEarliest, Start::kLatest}),
               "where reading begins; only for a state that does not exist yet"),
  };
}

std::vector<Field> OutputFields() {
  return {
      Describe("publish.receipts_topic", LETHE_AT(publish.receipts_topic), OrNull(Topic()),
               "where receipts and notices go; null: nowhere but the state and HTTP"),
      Describe("publish.envelopes", LETHE_AT(publish.envelopes), Boolean(),
               "whether that topic carries signed envelopes (DSSE) instead of the bare entries"),
      Describe("publish.models_topic", LETHE_AT(publish.models_topic), OrNull(Topic()),
               "where models go, keyed by shard; null: nowhere but HTTP"),
      Describe("publish.models_every", LETHE_AT(publish.models_every_ms), DurationMs(1),
               "how often a model is published; after a deletion always"),
      Describe("dead_letter.topic", LETHE_AT(dead_letter.topic), OrNull(Topic()),
               "where refused records go; null: they are counted only"),
      Describe("dead_letter.payload", LETHE_AT(dead_letter.payload), Boolean(),
               "whether dead letters carry the payload, which is personal data"),
  };
}

std::vector<Field> ProcessFields() {
  return {
      Describe("state.path", LETHE_AT(state.path), Text("the path of a directory"),
               "where the state lives"),
      Describe("state.commit_events", LETHE_AT(state.commit_events), Integer(1),
               "a commit after at most this many events; a deletion commits at once"),
      Describe("state.commit_every", LETHE_AT(state.commit_every_ms), DurationMs(1),
               "a commit after at most this time"),
      Describe("state.snapshots", LETHE_AT(state.snapshots), Integer(0),
               "how many read-only exports of the model are kept"),
      Describe("state.snapshot_every", LETHE_AT(state.snapshot_every), Integer(1),
               "events between two of them"),
      Describe("erasure.max_lag", LETHE_AT(erasure.max_lag_ms), DurationMs(1),
               "how long after a deletion its bytes may still be on disk"),
      Describe("erasure.refuse_late_for", LETHE_AT(spec.refuse_late_for_ms), DurationMs(0),
               "how long deleted ids are remembered, so that a late learn event is refused"),
      Describe("regret.sample", LETHE_AT(regret.sample), Integer(0),
               "replay and compare: events kept to estimate the regret; 0: compare is exact"),
      Describe("http.listen", LETHE_AT(http.listen), ListenAddress(),
               "address of the dashboard, the metrics and the API"),
      Describe("http.token_file", LETHE_AT(http.token_file), OrNull(Text(kFile)),
               "a file that holds the bearer token clients must send; null: none asked"),
  };
}

#undef LETHE_AT

std::vector<Field> AllFields() {
  std::vector<Field> all;
  for (auto part : {ModelFields, FeatureFields, LearningFields, ForgettingFields, NoiseFields,
                    SourceFields, OutputFields, ProcessFields}) {
    for (Field& field : part()) all.push_back(std::move(field));
  }
  return all;
}

}  // namespace

const std::vector<Field>& Fields() {
  static const std::vector<Field> fields = AllFields();
  return fields;
}

const std::vector<RefusedKey>& RefusedKeys() {
  static const std::vector<RefusedKey> refused = {
      {"source.kafka.security.password", "use password_file: secrets come from files"},
      {"http.token", "use token_file: secrets come from files"},
  };
  return refused;
}

}  // namespace lethe::config
