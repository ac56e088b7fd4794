#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
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
#include "engine/shard/erasures.h"
#include "engine/shard/pending_requests.h"
#include "engine/shard/receipt.h"
#include "engine/shard/recent_refusals.h"
#include "engine/shard/recorded_decisions.h"
#include "engine/shard/report.h"
#include "engine/shard/rewind_pacer.h"
#include "engine/shard/seen_ids.h"
#include "engine/shard/time_bound.h"
#include "engine/spec/regret_bound.h"

namespace lethe {

// The ports of a shard. The shard borrows them, so all must outlive it.
struct ShardPorts {
  State& state;
  Payloads& payloads;
  Sink& sink;
  Probe& probe;
  const Hasher& hasher;
  RandomSource& random;
};

// The result of looking up a request's target in the other shards.
struct LookupResult {
  std::vector<ShardId> searched;   // the shards that were searched, this one included
  std::vector<ShardId> passed_on;  // the shards that the request was sent to
  // Shards of this process that have not read far enough to tell. They get the request later if
  // they turn out to have learned the target.
  std::vector<ShardId> pending;
  // The number of shards that hold or have forgotten events of the subject, this one included, plus
  // every shard that could not be asked. 0: no shard was asked.
  std::int64_t holders = 0;
};

// Whether a shard knows the target of a request.
enum class Membership { kUnknown, kForgotten, kLearned };

// The state machine of one partition: it takes records in order, learns, forgets, and writes
// receipts. The noise of a deletion is drawn once, and it is durable before a result of it is
// published: a second draw for the same model could be averaged with the first.
//
// Not thread-safe: one thread uses a shard, except for the Admission objects that NewAdmission
// returns. The shard copies its plan and identity and borrows its ports. After any returned error
// the shard must not be used again; a new process resumes from the last commit.
class Shard {
 public:
  // A shard before its first record. Call Resume next.
  Shard(const Plan& plan, const ShardIdentity& identity, const ShardPorts& ports);
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  // Restores the shard from the last commit of the state; with an empty state the shard is new.
  // Must be the first call. Fails (kInput) if the state is unreadable or was made with another
  // configuration or another number of shards; the message says what differs.
  Status Resume();

  // The number of shards of the run that a state was made in; 1 if the state does not say.
  static std::int64_t ShardsOf(const State& state);

  // For a live run: requests whose rewind has to wait for the end of the pause after the one before
  // it are grouped, and long rewinds run on a copy. Call it before the first record. Without it
  // every request takes effect at its record.
  void SetPace(const RewindPolicy& policy) { pacer_ = RewindPacer(policy); }
  // Sets the time of the decisions about grouping, by the monotonic clock. Call it before a record
  // if WantsTime, and before ServeByTimer. `is_loaded`: more records wait to be read.
  void SetTime(std::int64_t steady_ns, bool is_loaded = false) {
    pacer_.SetNow(steady_ns, is_loaded);
  }
  // Whether a decision may depend on the time: a learn needs it only while something waits.
  bool WantsTime(const Item& item) const {
    return pacer_.is_active() &&
           (pending_.size() > 0 || !std::holds_alternative<const AdmittedLearn*>(item));
  }
  // For a replay: obeys the decisions of an earlier run instead of deciding by rules. Borrows them.
  void Obey(RecordedDecisions* record) { record_ = record; }
  // The next decision to obey, if its moment is right after the last record; else null.
  const RecordedDecision* NextRecorded() const;
  // Serves the requests that the next decisions name, as far as their moment has come. kInput if
  // they contradict the stream.
  Status ServeRecorded();
  void PopRecorded() { record_->Pop(); }
  // Whether everything that the record says of the time before this offset was obeyed, and says
  // enough. kInput if not.
  Status CheckRecorded(Offset record) const;

  // Sets the offset of the next record. If this skips records, they are lost for good, and a notice
  // in the chain says so unless the shard is new.
  void GoOnFrom(Offset first);
  // Appends the notice that this new chain follows the chain of another state of this shard.
  void BeginAfter(const std::string& other_state);
  // Appends the notice that entries are signed with another key from here on.
  void ChangeKey(const std::string& old_key, const std::string& new_key);

  // A new admission for this shard's learns and updates, which any thread may use. It borrows the
  // hasher and not the shard.
  Admission NewAdmission() const {
    return {plan_.spec.model, pseudonymizer_, plan_.spec.topic, id_, plan_.features};
  }

  // A hint that the learn will be processed soon, at most kPrefetchAhead items later. Fetches the
  // index and the weights that it needs into the processor's cache.
  static constexpr std::size_t kPrefetchAhead = 8;
  void Prefetch(const AdmittedLearn& learn) const;

  // For a live run: whether Position::arrival must be set for a record with this timestamp, because
  // the arrival decides event time instead of the timestamp.
  bool ArrivalDecides(TimeMs timestamp, TimeMs arrival) const {
    return bound_.Decides(timestamp, arrival);
  }

  // Whether forgotten events must be erased before this record is processed: the oldest has waited
  // for half of erase_within. The answer depends on the stream alone, so a replay writes the same
  // notices.
  bool IsErasureDue(const Position& position) const;
  // Whether an erasure is due by the clocks of the process. While records arrive (`is_silent`
  // false) the limit is PendingRequests::kGraceMs longer, so that the stream decides first.
  bool IsErasureDue(const ClockReading& now, bool is_silent);
  // Erases the bytes of all forgotten events and appends the notices. There must be no news: a
  // restart from an older commit would need the erased bytes. If the state has erased them already,
  // only the notices are added. `by_timer`: the time of the decision if the clock made it.
  Status Erase(const std::optional<ClockReading>& by_timer);

  // Processes the item of the next record. Requires that no erasure is due at its position. A
  // rejected record is counted and changes nothing else; a rejected request also gets a receipt.
  // The effects may be published only after a Commit. `lookup` goes into the receipt of a request:
  // the shards that were searched, and the number of shards for which the promise to a person is
  // made. Without it, the promise to a person is made for all shards of the plan.
  Status Process(const Position& position, const Item& item, const LookupResult* lookup = nullptr);

  // Whether the target of a request is learned here, was forgotten here, or neither.
  Membership Find(const Request& request) const;

  // Serves the requests whose wait is over by the clocks of the process, whatever the timestamps
  // say. A replay cannot repeat this decision, so the receipts say that the timer made it. Call it
  // several times a second. `is_silent`: no record has arrived for a while.
  // In silence it also slides a window in time.
  Status ServeByTimer(const ClockReading& now, bool is_silent);

  // Repeats a slide of a window in time that the clock has decided, for a replay: after the record
  // at the notice's `offset`, with the notice's `before` and `timestamp`. Fails (kInput) if the
  // slide does not belong to this stream.
  Status SlideAt(EventIndex before, TimeMs time);
  // Whether requests wait for nothing but a rewind: ServeByTimer has something to do at once.
  bool is_deferred() const { return is_deferred_; }
  // Serves the requests that wait for nothing but a rewind, whatever is left of the pause. For the
  // end of a run.
  Status ServeDeferred(const ClockReading& now);

  // Whether there are chain entries (receipts or notices) that are not published yet.
  bool has_news() const { return !outbox_.empty(); }

  // Hands all changes to the state as one atomic write, but publishes nothing. If there is news or
  // `sync` is set, the commit survives a crash of the machine when the call returns; see
  // State::Commit for one that is not synced. Called by CommitProtocol, which knows what a commit
  // has to wait for.
  Status Commit(bool sync = false);

  // Publishes the chain entries, all of which the last Commit must have made durable. The caller
  // has released the model of that commit first, because a receipt refers to it.
  Status Publish();

  // Whether the model holds random draws that a crash of the machine could undo. The shard would
  // draw again, and two draws for one version can be averaged, so such a model must not be
  // released.
  bool has_unsynced_draws() const {
    return plan_.mode->draws_while_learning && model_version() != synced_version_;
  }
  // The version of the last synced commit of this process; -1 before the first.
  ModelVersion synced_version() const { return synced_version_; }
  // Whether this mode draws random numbers while it learns, and not only for deletions.
  bool draws_while_learning() const { return plan_.mode->draws_while_learning; }

  // A snapshot, which may be published once it is committed.
  ShardReport Report() const;

  ShardId id() const { return id_; }
  const Counters& counters() const { return counters_; }
  const Unlearner& unlearner() const { return *unlearner_; }
  // The number of pending requests.
  std::size_t waiting() const { return pending_.size(); }
  // Learn steps, plus effective requests, plus slides of the window.
  ModelVersion model_version() const;
  // A bound on the regret so far, from public quantities. nullopt if the schedule is adaptive or a
  // deletion moves the model in another way than by noise.
  std::optional<double> regret_bound() const;
  // The first version of which the promises of all effective deletions hold; 0 before any deletion.
  ModelVersion clean_from() const { return clean_from_; }
  // The offset of the next record.
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
  // The moment of an effect: at a record, or by the clock after that record.
  struct Moment {
    Offset offset;
    TimeMs timestamp;
    EffectiveBy by = EffectiveBy::kStream;
    bool is_at_record = true;  // and not by the clock after it
  };
  static Moment At(const Position& position) { return {position.offset, position.timestamp}; }
  Moment ByClock(const ClockReading& now, EffectiveBy by) const;

  Status Take(const Position& position, const AdmittedLearn& learn);
  Status Take(const Position& position, const AdmittedUpdate& update);
  Status Take(const Position& position, const Request& request, const LookupResult* lookup);
  Status Take(const Position& position, const Rejection& rejection);
  // Forgets the old version of an event. Its id is not refused, because the new version has it too.
  Status Replace(const Position& position, const Request& request, const LearnedEvent& old);
  Status DeleteById(const Position& position, const Request& request, const LookupResult* lookup);
  Status DeleteBySubject(const Position& position, const Request& request,
                         const LookupResult* lookup);

  void LearnAs(const Position& position, const AdmittedLearn& learn, bool is_update);
  // Whether a learn is refused because a request named its id, or its subject at a later time.
  bool IsRefused(const Position& position, const AdmittedLearn& learn) const;
  // The lasting hash of the id of a learn, which Prefetch may have computed.
  KeyHash LastingOf(const KeyHash& id) const;
  // Whether a learn has to be looked up under its lasting hash.
  bool WantsLasting() const { return ports_.state.has_refusals() || !seen_.empty(); }
  // Refuses what a deleted subject sends again: learns whose own timestamp is not after that of the
  // request. Says in the receipt whether it could.
  void RefuseSubject(const Position& position, const KeyHash& subject, Receipt& receipt);

  // Called when the anchor of the mode has moved. `time` is event time when the event of the new
  // anchor was learned; kNoTime if it is not known.
  void Slide(const Moment& moment, TimeMs time);
  // Slides a window in time if it is longer than the retention at this time.
  void SlideInTime(const Moment& moment, TimeMs now);
  // Records when the events were learned at which the window begins and will begin.
  void NoteTime(EventIndex index);
  // Whether the retention is a time and event time is not known.
  bool LacksClock() const;
  // The retention as in a configuration file, with the number that `auto` stands for.
  std::string RetentionInWords() const;
  // Whether a learn of this id is a duplicate. In a mode with a window this does not depend on
  // anything before the window (SeenIds).
  bool IsDuplicate(const KeyHash& id) const;
  // Whether events before the anchor are dropped without a request.
  bool DropsOld() const { return unlearner_->expires() || unlearner_->covers_old(); }
  // Whether events were dropped that a model may still depend on, so that a request that matches
  // nothing needs a draw.
  bool MayNameOld() const { return anchor_.value > 0 && unlearner_->covers_old(); }
  // Writes the receipt of a request that matched nothing, after a draw if it needs one. `subject`:
  // under the refuse key, if the request names a person.
  Status AnswerUnmatched(const Position& position, Receipt receipt,
                         const std::optional<KeyHash>& subject);
  // Records, in a mode that drops old events, that an id came which is not learned now.
  void NoteSeen(const KeyHash& id, EventIndex index);
  void SaveWindow();
  Status LoadWindow();

  // Removes the events from the state and the payloads, and adds the request to the pending ones.
  Status Receive(Receipt receipt, std::vector<LearnedEvent> events);
  // Serves the requests that take effect with this record.
  Status ServeDue(const Position& position);
  // Makes the first `count` requests effective, by one draw, and writes their receipts.
  Status Serve(const Moment& moment, std::size_t count);
  // How many of the pending requests are due by the rule of the configuration.
  std::size_t CountDue() const;
  // Whether the pending requests may take effect now, as far as the pace of rewinds is concerned.
  // `may_use_copy`: a long rewind may be begun, or go on, on a copy.
  bool MayRewind(bool may_use_copy);

  // Event time after this record.
  TimeMs TimeAfter(const Position& position) const;
  void AdvanceTime(const Position& position);

  Receipt NewReceipt(const Position& position, Outcome outcome);
  Receipt NotForgotten(const Position& position, const Request& request,
                       const std::optional<Refusal>& refusal, const LookupResult* lookup);
  Refusal RefusalFor(const Receipt& receipt) const;
  // Sets the promise to a person whose events `holders` shards held.
  void SetPromise(std::int64_t holders, Receipt& receipt) const;
  void SetEffective(const Moment& moment, Receipt& receipt) const;
  void TellStage(ErasureStage stage, TimeMs received, TimeMs reached) const;

  // Appends an entry to the chain. Commit makes it durable, and Publish sends it.
  void Append(ChainKind kind, std::string bytes);
  void AppendReceipt(const Receipt& receipt);

  void Save();
  Status Load(std::string_view saved);
  Status LoadFleet();
  void SaveLaterReasons();
  Status LoadLaterReasons();
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
  std::int64_t window_ms_;  // the window if it is one in time; 0: it is not
  std::unique_ptr<Unlearner> unlearner_;
  PendingRequests pending_;
  RegretBound regret_bound_;

  Counters counters_;
  EventIndex anchor_;    // of the unlearner, as of the last record
  WindowRecord window_;  // only used in a mode with a window
  SeenIds seen_;
  ModelVersion clean_from_;
  ModelVersion synced_version_{-1};
  Offset next_;
  TimeMs now_ = kNoTime;                // event time: the running maximum of the bounded timestamps
  TimeBound bound_;                     // stored separately, in Part::kClock
  TimeMs last_time_ = kNoTime;          // of the last record
  std::uint64_t receipts_ = 0;          // UUIDs drawn so far
  std::string previous_ = kChainStart;  // SHA-256 of the last chain entry, in hex
  std::int64_t chain_entries_ = 0;
  std::optional<double> last_sigma_;
  RewindPacer pacer_;
  bool is_deferred_ = false;   // the pace of rewinds made requests wait that were due
  bool is_preparing_ = false;  // a long rewind runs on a copy
  RecordedDecisions* record_ = nullptr;
  Erasures erasures_;
  RecentRefusals recent_;
  // Id and lasting hash of the learns that Prefetch was called with last.
  mutable std::array<std::pair<KeyHash, KeyHash>, 64> lasting_{};
  std::vector<std::pair<ChainKind, std::string>> outbox_;  // chain entries to publish, in order
};

}  // namespace lethe
