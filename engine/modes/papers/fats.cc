#include <cmath>

#include "engine/base/archive.h"
#include "engine/modes/papers/fats_run.h"
#include "engine/modes/papers/sampler.h"
#include "engine/modes/unlearner.h"
#include "engine/spec/dimension.h"

namespace lethe {
namespace {

// The stream numbers of deletions begin at kDeletionStreams; each deletion has 2^kStreamBits of
// them.
constexpr std::uint64_t kDeletionStreams = std::uint64_t{1} << 63;
constexpr int kStreamBits = 24;

// Choices from a Sampler. It borrows what the sampler borrows.
class SampledChoices final : public FatsChoices {
 public:
  explicit SampledChoices(Sampler sampler) : sampler_(sampler) {}
  std::int64_t Below(std::int64_t n) override { return sampler_.Below(n); }

 private:
  Sampler sampler_;
};

// Mode fats: rounds of federated averaging at public numbers of learn events; exact, without noise.
// All kept data is distributed as in a run that never learned the deleted events, and so is every
// later model.
class FatsUnlearner final : public Unlearner {
 public:
  explicit FatsUnlearner(const ModeContext& context)
      : by_subject_(context.spec.forgetting.fats.client == FatsClient::kSubject),
        round_every_(context.spec.forgetting.fats.round_every),
        shard_(context.shard),
        random_(context.random),
        payloads_(context.payloads),
        run_(context.spec.forgetting.fats, Loss(context.spec.model), context.constants,
             StepSize(context), ModelDimension(context.spec), context.payloads) {}

  Prediction LearnOf(const std::optional<KeyHash>& subject, const Example& example) override {
    if (by_subject_) {
      // Events without a person are spread evenly.
      const auto client = subject ? static_cast<std::int64_t>(subject->low >> 1) : learned_;
      run_.SetClient(learned_, client);
    }
    return Learn(example);
  }

  Prediction Learn(const Example& example) override {
    const Prediction prediction{run_.model().dot(example.x)};
    payloads_.Add({learned_++}, example);
    if (learned_ % round_every_ == 0) {
      SampledChoices choices = Choices();
      run_.AddRound(learned_, choices);
      has_changed_ = true;
    }
    return prediction;
  }

  void Release(std::span<const Target> batch) override {
    for (const Target& target : batch) payloads_.Remove(target.index);
  }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    std::vector<std::int64_t> deleted;
    for (const Target& target : batch) deleted.push_back(target.index.value);
    const std::int64_t before = run_.gradients();
    SampledChoices choices = ChoicesOfDeletion();
    run_.Delete(deleted, choices);
    has_deleted_ = true;
    saved_clients_ = 0;
    gradients_ += run_.gradients() - before;
    return Forgetting{};
  }

  double SigmaNow(std::span<const Target>) const override { return 0; }
  Vector model() const override { return run_.model(); }
  double SquaredNorm() const override { return run_.model().squaredNorm(); }
  double HalfLife() const override { return HUGE_VAL; }
  std::int64_t LearnGradients() const override { return run_.gradients() - gradients_; }
  std::int64_t DeletionGradients() const override { return gradients_; }
  std::int64_t HeldBytes() const override { return run_.bytes(); }

  // The history is written after every round, and as a whole with every deletion: also with one
  // that hit nothing, since otherwise the files would tell that the event was never sampled.
  void Save(State& state) override {
    SavingArchive position;
    position(learned_, streams_, deletions_);
    state.Put(Part::kRun, position.Take());
    SaveClients(state);
    if (!has_changed_ && !has_deleted_) return;
    SavingArchive history;
    history(run_);
    has_deleted_ ? state.Rewrite(Part::kMode, history.Take())
                 : state.Put(Part::kMode, history.Take());
    has_changed_ = has_deleted_ = false;
  }

  Status Load(const State& state) override {
    const auto position = state.Get(Part::kRun);
    const auto history = state.Get(Part::kMode);
    LoadingArchive position_archive(position ? *position : std::string_view());
    LoadingArchive history_archive(history ? *history : std::string_view());
    position_archive(learned_, streams_);
    // A state of an earlier program does not have the third number.
    if (!position_archive.complete()) position_archive(deletions_);
    history_archive(run_);
    has_changed_ = has_deleted_ = false;
    LoadClients(state);
    if (position_archive.complete() && history_archive.complete()) return Status::Ok();
    return {ErrorCode::kInput, "the stored rounds cannot be read"};
  }

 private:
  // Of a constant schedule; otherwise the size that `auto` has there.
  static double StepSize(const ModeContext& context) {
    return context.spec.learning.schedule == ScheduleKind::kConstant
               ? context.schedule.Step(1)
               : 1 / (context.constants.beta + context.constants.mu);
  }

  // Whose the events are: 8 bytes each, and only what is new is written unless one was deleted.
  void SaveClients(State& state) {
    const std::vector<std::int64_t>& clients = run_.client_of();
    SavingArchive archive;
    for (std::size_t i = saved_clients_; i < clients.size(); ++i) archive(clients[i]);
    saved_clients_ == 0 ? state.Put(Part::kMarks, archive.Take())
                        : state.Extend(Part::kMarks, archive.Take());
    saved_clients_ = clients.size();
  }
  void LoadClients(const State& state) {
    const auto bytes = state.Get(Part::kMarks);
    std::vector<std::int64_t> clients(bytes ? bytes->size() / sizeof(std::int64_t) : 0);
    LoadingArchive archive(bytes ? *bytes : std::string_view());
    for (std::int64_t& client : clients) archive(client);
    saved_clients_ = clients.size();
    run_.set_client_of(std::move(clients));
  }

  SampledChoices Choices() { return SampledChoices(Sampler(random_, shard_, streams_)); }
  // From streams of its own. Whether a deletion draws anything tells whether the event was sampled,
  // so `streams_`, which is stored, must not count these draws; `deletions_` counts every deletion.
  SampledChoices ChoicesOfDeletion() {
    deletion_streams_ = kDeletionStreams + (deletions_++ << kStreamBits);
    return SampledChoices(Sampler(random_, shard_, deletion_streams_));
  }

  bool by_subject_;
  std::int64_t round_every_;
  ShardId shard_;
  RandomSource& random_;
  Payloads& payloads_;
  FatsRun run_;
  std::int64_t learned_ = 0;
  std::uint64_t streams_ = 0;           // of rounds, used so far
  std::uint64_t deletions_ = 0;         // batches of them
  std::uint64_t deletion_streams_ = 0;  // of the last one; not stored
  std::int64_t gradients_ = 0;
  bool has_changed_ = true;   // a round was added since the last Save
  bool has_deleted_ = false;  // a deletion came since the last Save
  std::size_t saved_clients_ = 0;
};

Status Check(const Spec& spec, const Constants&) {
  const FatsSpec& fats = spec.forgetting.fats;
  if (spec.learning.schedule == ScheduleKind::kAdaptive) {
    return {ErrorCode::kConfig,
            "learning.schedule: mode fats takes steps of one size; remove adaptive"};
  }
  if (!spec.forgetting.deadline.none() || !spec.forgetting.batch_window.none()) {
    return {ErrorCode::kConfig,
            "forgetting.deadline: mode fats replays what came before a deletion, so another one "
            "cannot wait, and it needs no noise that waiting could save; remove deadline and "
            "batch_window"};
  }
  if (fats.clients * fats.batch > fats.round_every) {
    return {ErrorCode::kConfig,
            "forgetting.fats.round_every: must be at least clients times batch, or the first "
            "rounds have no client with enough events"};
  }
  return Status::Ok();
}

}  // namespace

extern const ModeEntry kFatsMode;
const ModeEntry kFatsMode = {
    .name = "fats",
    .summary = "federated averaging on few sampled events; exact, redraws what used the event",
    .why_never_certified = nullptr,
    .is_exact = true,
    .moves_model = true,
    .check = Check,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<FatsUnlearner>(context);
    },
    .draws_while_learning = true,
};

}  // namespace lethe
