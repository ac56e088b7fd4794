#include "tests/simulation/final_checks.h"

#include <limits>
#include <map>

#include "app/pipeline/commit_protocol.h"
#include "app/replay/recorded_chain.h"
#include "connectors/message_batch.h"
#include "engine/spec/config_hash.h"
#include "state/memory_state.h"
#include "state/payloads/memory_payloads.h"

namespace lethe::simulation {
namespace {

// The receipts of a replay, and all entries of its chain.
class Receipts final : public Sink {
 public:
  Status Publish(ShardId /*shard*/, ChainKind kind, std::string_view bytes) override {
    if (kind == ChainKind::kReceipt) receipts.emplace_back(bytes);
    entries.emplace_back(bytes);
    return Status::Ok();
  }
  std::vector<std::string> receipts;
  std::vector<std::string> entries;
};

// A shard that takes a partition from its beginning to its end, in memory.
class Replay {
 public:
  Replay(const World& world, const ShardIdentity& identity, RandomSource& random)
      : shard_(world.plan, identity, {state_, payloads_, sink_, probe_, world.hasher, random}),
        commits_(shard_, steps_) {
    batch_.admissions().emplace(identity.shard, shard_.NewAdmission());
  }

  void Obey(RecordedDecisions& decisions) { shard_.Obey(&decisions); }
  Status Take(const SourceRecord& record, const Circumstances& circumstances) {
    batch_.Clear(1);
    batch_.AddMessage(shard_.id(), {record.offset, record.timestamp, circumstances.arrival},
                      record.is_rerouted, record.message.key, record.message.value);
    batch_.Admit();
    LETHE_RETURN_IF_ERROR(
        commits_.Process(batch_.position(0), batch_.item(0),
                         circumstances.lookup ? &*circumstances.lookup : nullptr));
    LETHE_RETURN_IF_ERROR(commits_.Obey());
    return commits_.Commit();
  }
  // Repeats a slide of the window that the clock decided, by its notice.
  Status SlideAt(std::string_view notice) {
    const auto number = [&](const char* before) { return std::stoll(TextAfter(notice, before)); };
    LETHE_RETURN_IF_ERROR(shard_.SlideAt({number(R"("before":)")}, {number(R"("timestamp":)")}));
    return commits_.Commit();
  }
  // The clock serves whatever waits for a time. Not in silence, so that no window slides.
  Status Finish() {
    LETHE_RETURN_IF_ERROR(commits_.ServeByTimer({{0}, 0}, false));
    LETHE_RETURN_IF_ERROR(
        commits_.ServeByTimer({{1'000'000'000'000'000}, 1'000'000'000'000}, false));
    return commits_.Commit();
  }

  const Shard& shard() const { return shard_; }
  const std::vector<std::string>& receipts() const { return sink_.receipts; }
  const std::vector<std::string>& entries() const { return sink_.entries; }

 private:
  MemoryState state_;
  MemoryPayloads payloads_;
  Receipts sink_;
  Probe probe_;
  Shard shard_;
  CommitSteps steps_;
  CommitProtocol commits_;
  MessageBatch batch_;
};

// Without what the entry before, which may be a notice of the clock's, has a part in.
std::string WithoutPrevious(const std::string& receipt) {
  const std::size_t at = receipt.find(R"("previous":")");
  return receipt.substr(0, at) + receipt.substr(receipt.find(R"("statement")", at));
}

bool IsByTimer(std::string_view entry) {
  return entry.find(R"("by":"timer")") != std::string_view::npos;
}
bool IsByGroup(std::string_view entry) {
  return entry.find(R"("by":"group")") != std::string_view::npos;
}

bool IsReceipt(std::string_view entry) {
  return entry.starts_with(R"({"format":"lethe.receipt/1")");
}

bool Names(const Message& request, const Message& event) {
  if (request.type != EventType::kDelete) return false;
  return request.id ? request.id == event.id : request.subject == event.subject;
}

}  // namespace

void FinalChecks::Check(const Shard& shard, const DurableState& state, Tally& tally) {
  CheckChain(static_cast<int>(shard.id().value), state);
  CheckReceipts(shard, tally);
  CheckReplay(shard, tally);
  CheckObedientReplay(shard, tally);
  NoteLive(shard, state);
}

void FinalChecks::CheckChain(int shard, const DurableState& state) {
  const auto& chain = world_.checks.of(shard).chain;
  if (chain.size() != state.chain_entries()) {
    Checks::Fail("the chain is published whole", shard,
                 std::to_string(chain.size()) + " of " + std::to_string(state.chain_entries()) +
                     " entries are in the topic");
  }
  const Status status =
      state.ReadChain(0, [&](std::uint64_t number, ChainKind, std::string_view bytes) -> Status {
        if (chain.at(static_cast<std::int64_t>(number)) != bytes) {
          Checks::Fail("the chain is published whole", shard, "entry " + std::to_string(number));
        }
        return Status::Ok();
      });
  if (!status.ok()) Checks::Fail("the chain is published whole", shard, status.message());
}

void FinalChecks::CheckReceipts(const Shard& shard, Tally& tally) {
  const int id = static_cast<int>(shard.id().value);
  std::map<std::int64_t, int> of_offset;
  std::map<std::string, int> erased;
  std::int64_t forgotten = 0;
  for (const auto& [number, entry] : world_.checks.of(id).chain) {
    tally.by_timer += IsByTimer(entry);
    tally.by_group += IsByGroup(entry);
    if (!IsReceipt(entry)) {
      const bool is_of_receipt = entry.find(R"("receipt":null)") == std::string::npos;
      if (TextAfter(entry, R"("status":")") == "erased" && is_of_receipt) {
        ++erased[TextAfter(entry, R"("receipt":")")];
      }
      continue;
    }
    ++tally.receipts;
    if (TextAfter(entry, R"("outcome":")") == "forgotten") ++forgotten;
    ++of_offset[NumberAfter(entry, R"("received":{"offset":)")];
  }
  for (const auto& [receipt, count] : erased) {
    if (count != 1) Checks::Fail("erased once", id, receipt);
  }
  if (static_cast<std::int64_t>(erased.size()) != forgotten) {
    Checks::Fail(
        "erased once", id,
        std::to_string(erased.size()) + " of " + std::to_string(forgotten) + " have a notice");
  }
  std::int64_t missing = 0;
  for (const SourceRecord& record : world_.broker.records(id)) {
    ++tally.records;
    tally.rerouted += record.is_rerouted;
    const bool is_update = record.message.value.find(R"("cause":"update")") != std::string::npos;
    if (record.message.type != EventType::kDelete || is_update) continue;
    const int count = of_offset[record.offset.value];
    if (count > 1) {
      Checks::Fail("one receipt for a request", id,
                   std::to_string(count) + " for offset " + std::to_string(record.offset.value));
    }
    missing += count == 0;
  }
  // A request that waits for more events than come has none yet.
  if (missing > static_cast<std::int64_t>(shard.waiting())) {
    Checks::Fail("one receipt for a request", id, std::to_string(missing) + " have none");
  }
}

void FinalChecks::CheckReplay(const Shard& shard, Tally& tally) {
  const int id = static_cast<int>(shard.id().value);
  const ShardFacts& facts = world_.checks.of(id);
  Replay replay(world_, facts.identity, random_);
  std::multimap<std::int64_t, std::string> slides;  // by the clock, after this offset
  for (const auto& [number, entry] : facts.chain) {
    if (TextAfter(entry, R"("status":")") != "expired" || !IsByTimer(entry)) continue;
    slides.emplace(std::stoll(TextAfter(entry, R"("offset":)")), entry);
  }
  for (const SourceRecord& record : world_.broker.records(id)) {
    const auto found = facts.journal.find(record.offset.value);
    if (found == facts.journal.end()) Checks::Fail("every record once", id, "one was never taken");
    const Status status = replay.Take(record, found->second);
    if (!status.ok()) Checks::Fail("a replay succeeds", id, status.message());
    const auto [begin, end] = slides.equal_range(record.offset.value);
    for (auto slide = begin; slide != end; ++slide) {
      const Status repeated = replay.SlideAt(slide->second);
      if (!repeated.ok()) Checks::Fail("a replay succeeds", id, repeated.message());
    }
  }
  const Status status = replay.Finish();
  if (!status.ok()) Checks::Fail("a replay succeeds", id, status.message());
  std::vector<std::string> receipts;
  bool clock_decided = false;
  for (const auto& [number, entry] : facts.chain) {
    if (!IsReceipt(entry)) continue;
    receipts.push_back(entry);
    clock_decided = clock_decided || IsByTimer(entry) || IsByGroup(entry);
  }
  const Counters& ours = shard.counters();
  const Counters& theirs = replay.shard().counters();
  const auto compare = [&](const char* what, std::int64_t a, std::int64_t b) {
    if (a == b) return;
    Checks::Fail(
        "a replay ends the same", id,
        std::string(what) + ": " + std::to_string(a) + ", in a replay " + std::to_string(b));
  };
  compare("records", ours.records, theirs.records);
  compare("learned", ours.learned, theirs.learned);
  compare("updates", ours.updates, theirs.updates);
  compare("requests", ours.requests, theirs.requests);
  compare("duplicates", ours.duplicates, theirs.duplicates);
  compare("refused late", ours.refused_late, theirs.refused_late);
  // A group also serves requests that could have waited on.
  if (shard.waiting() != replay.shard().waiting()) return;
  compare("forgotten events", ours.forgotten_events, theirs.forgotten_events);
  compare("effective deletions", ours.effective_deletions, theirs.effective_deletions);
  compare("model version", shard.model_version().value, replay.shard().model_version().value);
  const std::string& mode = world_.setup.spec.forgetting.mode;
  const bool is_exact = mode == "none" || mode == "retrain" || mode == "rewind";
  if (is_exact || (world_.setup.is_repeatable && !clock_decided)) {
    ++tally.models_equal;
    if (Bits(shard.unlearner().model()) != Bits(replay.shard().unlearner().model())) {
      Checks::Fail("a replay ends the same", id, "the model is another one");
    }
  }
  if (!world_.setup.is_repeatable || clock_decided) return;
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    const std::string theirs_of_it =
        i < replay.receipts().size() ? WithoutPrevious(replay.receipts()[i]) : "none";
    if (WithoutPrevious(receipts[i]) == theirs_of_it) continue;
    Checks::Fail("a replay ends the same", id,
                 "receipt\n" + WithoutPrevious(receipts[i]) + "\nin a replay\n" + theirs_of_it);
  }
}

void FinalChecks::CheckObedientReplay(const Shard& shard, Tally& tally) {
  if (!world_.setup.is_repeatable) return;
  const int id = static_cast<int>(shard.id().value);
  const ShardFacts& facts = world_.checks.of(id);
  const auto check = [id](const Status& status) {
    if (!status.ok()) Checks::Fail("a replay obeys the receipts", id, status.message());
  };
  std::vector<ChainEntry> entries;
  for (const auto& [number, bytes] : facts.chain) {
    auto entry = ParseEntry(bytes, "entry " + std::to_string(number), world_.hasher);
    check(entry.status());
    entries.push_back(std::move(entry).value());
  }
  const auto recorded =
      RecordedChain::From(entries, "the chain", ConfigSha256(world_.plan.spec, world_.hasher));
  check(recorded.status());
  const auto decisions =
      recorded.value()->Of(shard.id(), ToText(facts.identity.state), !entries.empty());
  check(decisions.status());
  Replay replay(world_, facts.identity, random_);
  replay.Obey(*decisions.value());
  for (const SourceRecord& record : world_.broker.records(id)) {
    check(replay.Take(record, facts.journal.at(record.offset.value)));
  }
  check(replay.shard().CheckRecorded({std::numeric_limits<std::int64_t>::max()}));
  check(decisions.value()->CheckEnd());
  for (const std::string& bytes : replay.entries()) check(recorded.value()->Compare({id}, bytes));
  check(recorded.value()->CheckEnd());
  ++tally.chains_equal;
  if (Bits(shard.unlearner().model()) == Bits(replay.shard().unlearner().model())) return;
  Checks::Fail("a replay obeys the receipts", id, "the model is another one");
}

void FinalChecks::NoteLive(const Shard& shard, const DurableState& state) {
  const int id = static_cast<int>(shard.id().value);
  const Pseudonymizer names(world_.hasher, world_.checks.of(id).identity);
  for (const SourceRecord& record : world_.broker.records(id)) {
    const Message& message = record.message;
    if (message.type != EventType::kLearn && message.type != EventType::kUpdate) continue;
    const auto event = state.FindId(names.Id(*message.id));
    if (event && event->offset == record.offset) live_.emplace_back(id, record);
  }
}

void FinalChecks::CheckForgotten(Tally& /*tally*/) {
  for (int id = 0; id < world_.setup.partitions; ++id) {
    for (const SourceRecord& request : world_.broker.records(id)) {
      if (request.is_rerouted || request.message.type != EventType::kDelete) continue;
      for (const auto& [shard, event] : live_) {
        if (event.number > request.number || !Names(request.message, event.message)) continue;
        Checks::Fail("a request reaches every shard", shard,
                     "offset " + std::to_string(event.offset.value) +
                         " is learned, the request is " + "on partition " + std::to_string(id) +
                         " at offset " + std::to_string(request.offset.value));
      }
    }
  }
}

}  // namespace lethe::simulation
