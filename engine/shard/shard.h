#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/admission/admission.h"
#include "engine/admission/item.h"
#include "engine/admission/pseudonymizer.h"
#include "engine/plan.h"
#include "engine/ports/clock.h"
#include "engine/ports/event.h"
#include "engine/ports/hash.h"
#include "engine/ports/payloads.h"
#include "engine/ports/probe.h"
#include "engine/ports/random.h"
#include "engine/ports/sink.h"
#include "engine/ports/state.h"
#include "engine/shard/counters.h"
#include "engine/shard/pending_requests.h"
#include "engine/shard/receipt.h"
#include "engine/shard/report.h"
#include "engine/shard/stopwatch.h"
#include "engine/shard/time_bound.h"
#include "engine/spec/regret_bound.h"

namespace lethe {

// What a shard needs from outside. Everything outlives the shard.
struct ShardPorts {
  State& state;
  Payloads& payloads;
  Sink& sink;
  Probe& probe;
  const Hasher& hasher;
  RandomSource& random;
};

// What is known of a request besides this shard's own memory: the shards that were searched, this
// one among them, those that it was passed on to, and those of this process that have not read far
// enough to say: they get the request if it turns out that they have learned it. `holders` counts
// the shards that hold or have forgotten events of the subject, this one among them, and every
// shard that could not be asked; 0 if nobody was asked.
struct LookupResult {
  std::vector<ShardId> searched;
  std::vector<ShardId> passed_on;
  std::vector<ShardId> pending;
  std::int64_t holders = 0;
};

// What a shard knows of the target of a request.
enum class Membership { kUnknown, kForgotten, kLearned };

// One run over one partition: takes records in order, learns, forgets, writes receipts. The noise
// of a deletion is drawn once, and the commit is durable before anything of it is published: two
// noises of one state could be averaged away. After an error the shard must not be used again. Not
// thread-safe.
class Shard {
 public:
  // A shard that has seen nothing yet.
  Shard(const Plan& plan, const ShardIdentity& identity, const ShardPorts& ports);
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  // Goes on where the state's last commit stands; a state without one is a new beginning. Call
  // before anything else. A state that does not fit the plan is a kInput error, which says how.
  Status Resume();

  // Of how many shards a state was made to be one.
  static std::int64_t ShardsOf(const State& state);

  // Begins reading at this offset. Records before it that were not read are gone for good: unless
  // the shard is new, a notice in the chain says so.
  void GoOnFrom(Offset first);
  // Says in the chain that another one for this shard came before; for a shard that is new.
  void BeginAfter(const std::string& other_state);
  // Says in the chain that entries are signed with another key from here on.
  void ChangeKey(const std::string& old_key, const std::string& new_key);

  // Validates and pseudonymizes learns and updates for this shard, in any thread.
  Admission NewAdmission() const {
    return {plan_.spec.model, pseudonymizer_, plan_.spec.topic, id_};
  }

  // A hint that the learn is processed after at most kPrefetchAhead more items: its memory is
  // fetched meanwhile.
  static constexpr std::size_t kPrefetchAhead = 8;
  void Prefetch(const AdmittedLearn& learn) const;

  // For a live run: whether the arrival of a record with this timestamp is to be set in the record,
  // because the timestamp lies in the future.
  bool ArrivalDecides(TimeMs timestamp, TimeMs arrival) const {
    return bound_.Decides(timestamp, arrival);
  }

  // Whether forgotten events have to be erased before the record is taken: the oldest has waited
  // for half of its time. The answer depends on the stream alone, so that a replay has the same
  // notices.
  bool IsErasureDue(const Position& position) const;
  // The same by the clock of the process, which gives the stream a little more time unless no
  // records come.
  bool IsErasureDue(const ClockReading& now, bool is_silent);
  // Erases everything that is forgotten so far and writes the notices. All news must be committed
  // before: a restart from an older commit would need what is erased. The state may have erased
  // it earlier; then only the notices are left to do.
  // `by_timer`: the clock decided, and it was this time.
  Status Erase(const std::optional<ClockReading>& by_timer);

  // Takes the item of the next record; no erasure may be due at its time. A rejected record is
  // counted and changes nothing. An error means that the run cannot go on. Effects may be published
  // only after a Commit. `lookup` goes into the receipt of a request: which shards were searched,
  // and for how many shards the promise to a person is made. Without it, that is all shards of the
  // plan.
  Status Process(const Position& position, const Item& item, const LookupResult* lookup = nullptr);

  // Whether a request would find something, or already has.
  Membership Find(const Request& request) const;

  // Serves the requests whose time is over by the clock of the process, whatever the timestamps
  // say. A replay cannot repeat that decision, so the receipts say so. Call it several times a
  // second. `is_silent`: no record has come for a while.
  Status ServeByTimer(const ClockReading& now, bool is_silent);

  // Whether there are receipts or notices that were not published yet.
  bool has_news() const { return !outbox_.empty(); }

  // Makes everything so far durable; also against a crash of the machine if there is news or with
  // `sync`. Publishes nothing. CommitProtocol calls it: the shard does not know what a commit has
  // to wait for.
  Status Commit(bool sync = false);

  // Publishes the news of the chain that the last Commit made durable. The caller has released the
  // model of that commit before: a receipt speaks of it.
  Status Publish();

  // Whether the model holds random draws that a crash of the machine could undo: the shard would
  // draw again, and two draws for one version can be averaged. Such a model must not be released.
  bool has_unsynced_draws() const {
    return plan_.mode->draws_while_learning && model_version() != synced_version_;
  }
  // The version of the last synced commit of this process; -1 before the first.
  ModelVersion synced_version() const { return synced_version_; }
  // Whether learning draws at random in this mode, and not only a deletion.
  bool draws_while_learning() const { return plan_.mode->draws_while_learning; }

  // What may be told of the shard, once this is committed.
  ShardReport Report() const;

  ShardId id() const { return id_; }
  const Counters& counters() const { return counters_; }
  const Unlearner& unlearner() const { return *unlearner_; }
  // Requests that were received and are not effective yet.
  std::size_t waiting() const { return pending_.size(); }
  ModelVersion model_version() const;
  // A bound on the regret so far, from public quantities; none where the model moves otherwise
  // than by steps and draws.
  std::optional<double> regret_bound() const;
  // The version since which no release carries anything of a forgotten event; 0 before any
  // deletion.
  ModelVersion clean_from() const { return clean_from_; }
  // The offset to go on from.
  Offset next() const { return next_; }
  // The timestamp of the last record.
  TimeMs last_time() const { return last_time_; }
  std::int64_t chain_entries() const { return chain_entries_; }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.counters_, self.clean_from_, self.next_, self.now_, self.last_time_,
            self.receipts_, self.previous_, self.chain_entries_, self.last_sigma_, self.pending_,
            self.erasures_, self.regret_bound_);
  }

 private:
  // When something took effect: with a record, or by the clock after it.
  struct Moment {
    Offset offset;
    TimeMs timestamp;
    bool by_timer = false;
  };
  static Moment At(const Position& position) {
    return {position.offset, position.timestamp, false};
  }

  // A forgotten request whose events may still be on disk.
  struct Erasure {
    Uuid receipt{};
    std::string receipt_sha256;
    TimeMs effective = kNoTime;  // event time
    TimeMs received = kNoTime;   // as in the receipt; this and the next are stored in Part::kClock
    Stopwatch waited;

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.receipt, self.receipt_sha256, self.effective);
    }
  };

  Status Take(const Position& position, const AdmittedLearn& learn);
  Status Take(const Position& position, const AdmittedUpdate& update);
  Status Take(const Position& position, const Request& request, const LookupResult* lookup);
  Status Take(const Position& position, const Rejection& rejection);
  // Forgets the old version of an event. Its id is not refused: the new version has it.
  Status Replace(const Position& position, const Request& request, const LearnedEvent& old);
  Status DeleteById(const Position& position, const Request& request, const LookupResult* lookup);
  Status DeleteBySubject(const Position& position, const Request& request,
                         const LookupResult* lookup);

  void LearnAs(const Position& position, const AdmittedLearn& learn, bool is_update);
  bool IsRefused(const KeyHash& id) const;

  // The events leave the state and the mode's retained ones; the request begins to wait.
  Status Receive(Receipt receipt, std::vector<LearnedEvent> events);
  // Serves the requests that take effect with this record.
  Status ServeDue(const Position& position);
  // Makes these requests effective, by one draw.
  Status Serve(const Moment& moment, std::vector<PendingRequest> due);

  // Event time once the record is taken.
  TimeMs TimeAfter(const Position& position) const;
  void AdvanceTime(const Position& position);

  Receipt NewReceipt(const Position& position, Outcome outcome);
  Receipt NotForgotten(const Position& position, const Request& request,
                       const std::optional<Refusal>& refusal, const LookupResult* lookup);
  Refusal RefusalFor(const Receipt& receipt) const;
  // For a person whose events so many shards held.
  void SetPromise(std::int64_t holders, Receipt& receipt) const;
  void SetEffective(const Moment& moment, Receipt& receipt) const;
  void TellStage(ErasureStage stage, TimeMs received, TimeMs reached) const;

  // Adds an entry to the chain; Commit makes all that were added durable, and Publish sends them.
  void Append(ChainKind kind, std::string bytes);
  void AppendReceipt(const Receipt& receipt);

  void Save();
  Status Load(std::string_view saved);
  Status LoadFleet();
  void SaveClock();
  Status LoadClock();

  std::int64_t steps() const { return counters_.learned + counters_.updates; }

  Plan plan_;
  ShardIdentity identity_;
  ShardId id_;
  ShardPorts ports_;
  Pseudonymizer pseudonymizer_;
  std::string config_sha256_;
  std::vector<std::string> why_not_;
  std::unique_ptr<Unlearner> unlearner_;
  PendingRequests pending_;
  RegretBound regret_bound_;

  Counters counters_;
  ModelVersion clean_from_;
  ModelVersion synced_version_{-1};
  Offset next_;
  TimeMs now_ = kNoTime;        // event time: the running maximum of what timestamps count as
  TimeBound bound_;             // stored apart (Part::kClock)
  TimeMs last_time_ = kNoTime;  // of the last record
  std::uint64_t receipts_ = 0;
  std::string previous_ = kChainStart;
  std::int64_t chain_entries_ = 0;
  std::optional<double> last_sigma_;
  std::vector<Erasure> erasures_;  // in order of time
  std::vector<std::pair<ChainKind, std::string>> outbox_;
};

}  // namespace lethe
