// Shard: saving and restoring, notices about the chain, and the report.

#include <algorithm>
#include <span>
#include <vector>

#include "engine/base/archive.h"
#include "engine/shard/served_weights.h"
#include "engine/shard/shard.h"
#include "engine/spec/spec_difference.h"

namespace lethe {
namespace {

// The format version of Part::kShard and all other parts together; see docs/formats/state.md. A
// state with Part::kErasures has the second one, since a program that does not know the part would
// lose the notices of these erasures.
constexpr std::uint64_t kShardVersion = 1;
constexpr std::uint64_t kVersionWithErasures = 2;

}  // namespace

void Shard::Save() {
  unlearner_->Save(ports_.state);
  SavingArchive archive;
  archive(erasures_.Save(ports_.state) ? kVersionWithErasures : kShardVersion, *this);
  ports_.state.Put(Part::kShard, archive.Take());
  SaveClock();
  SaveWindow();
  SaveLaterReasons();
  if (plan_.shards == 1) return;
  std::vector<std::int64_t> holders;
  for (const PendingRequest& request : pending_.requests()) {
    holders.push_back(request.receipt.holders);
  }
  SavingArchive fleet;
  fleet(plan_.shards, holders);
  ports_.state.Put(Part::kFleet, fleet.Take());
}

std::int64_t Shard::ShardsOf(const State& state) {
  std::int64_t shards = 1;
  if (const auto saved = state.Get(Part::kFleet)) {
    LoadingArchive archive(*saved);
    archive(shards);
  }
  return shards;
}

Status Shard::Resume() {
  const std::string config = CertificatePart(plan_.spec);
  if (const auto saved = ports_.state.Get(Part::kShard)) {
    const std::string theirs = ports_.state.Get(Part::kConfig).value_or("");
    if (theirs == config) return Load(*saved);
    return {ErrorCode::kInput,
            "shard " + std::to_string(id_.value) +
                ": the state was made with another configuration, and what was promised under it "
                "cannot be kept under this one:\n" +
                SpecDifference(theirs, config) +
                "Go back to the old values, or begin anew with another state.path."};
  }
  ports_.state.Put(Part::kConfig, config);
  return Status::Ok();
}

Status Shard::Load(std::string_view saved) {
  LoadingArchive archive(saved);
  std::uint64_t version = 0;
  archive(version);
  if (version != kShardVersion && version != kVersionWithErasures) {
    return {ErrorCode::kInput, "shard " + std::to_string(id_.value) + ": the state has format " +
                                   std::to_string(version) + ", this program reads " +
                                   std::to_string(kVersionWithErasures)};
  }
  archive(*this);
  if (!archive.complete()) {
    return {ErrorCode::kInput,
            "shard " + std::to_string(id_.value) + ": the stored counters cannot be read"};
  }
  for (PendingRequest& request : pending_.requests()) {
    request.receipt.state = identity_.state;
    request.receipt.shard = id_;
    SetPromise(1, request.receipt);
  }
  LETHE_RETURN_IF_ERROR(LoadFleet());
  LETHE_RETURN_IF_ERROR(LoadClock());
  LETHE_RETURN_IF_ERROR(LoadLaterReasons());
  LETHE_RETURN_IF_ERROR(erasures_.Load(ports_.state));
  // The process may have ended before the erasure, so the older models are still on disk.
  if (!erasures_.empty()) ports_.state.RetireModels();
  LETHE_RETURN_IF_ERROR(unlearner_->Load(ports_.state));
  // The state is one between two records. What was due then had to wait for a rewind.
  is_deferred_ = CountDue() > 0;
  for (PendingRequest& request : pending_.requests()) request.is_grouped = pending_.at_once();
  return LoadWindow();
}

Status Shard::LoadFleet() {
  const std::string name = "shard " + std::to_string(id_.value);
  const std::int64_t theirs = ShardsOf(ports_.state);
  if (theirs != plan_.shards) {
    return {ErrorCode::kInput,
            name + ": the state was made as one of " + std::to_string(theirs) +
                " shards, and is to be one of " + std::to_string(plan_.shards) +
                ": what was promised of all of them together cannot be kept. Begin anew with "
                "another state.path."};
  }
  const auto saved = ports_.state.Get(Part::kFleet);
  if (!saved) return Status::Ok();
  LoadingArchive archive(*saved);
  std::int64_t shards = 0;
  std::vector<std::int64_t> holders;
  archive(shards, holders);
  if (!archive.complete() || holders.size() != pending_.size()) {
    return {ErrorCode::kInput, name + ": what is stored of the other shards cannot be read"};
  }
  for (std::size_t i = 0; i < holders.size(); ++i) {
    SetPromise(holders[i], pending_.requests()[i].receipt);
  }
  return Status::Ok();
}

void Shard::SaveLaterReasons() {
  const std::span<const std::int64_t> later = counters_.LaterReasons();
  if (std::all_of(later.begin(), later.end(), [](std::int64_t n) { return n == 0; })) return;
  SavingArchive archive;
  archive(std::vector<std::int64_t>(later.begin(), later.end()));
  ports_.state.Put(Part::kLaterReasons, archive.Take());
}

// An older program may have saved fewer of them.
Status Shard::LoadLaterReasons() {
  const auto saved = ports_.state.Get(Part::kLaterReasons);
  if (!saved) return Status::Ok();
  LoadingArchive archive(*saved);
  std::vector<std::int64_t> counts;
  archive(counts);
  const std::span<std::int64_t> later = counters_.LaterReasons();
  if (!archive.complete() || counts.size() > later.size()) {
    return {ErrorCode::kInput, "shard " + std::to_string(id_.value) +
                                   ": the stored counts of rejections cannot be read"};
  }
  std::copy(counts.begin(), counts.end(), later.begin());
  return Status::Ok();
}

void Shard::GoOnFrom(Offset first) {
  if (counters_.records > 0 && first > next_) {
    ++counters_.notices;
    Append(ChainKind::kNotice,
           WriteChainNotice({"gap", identity_.state, id_, next_, first, ""}, previous_));
  }
  next_ = first;
}

void Shard::BeginAfter(const std::string& other_state) {
  ++counters_.notices;
  Append(ChainKind::kNotice,
         WriteChainNotice({"begun", identity_.state, id_, next_, next_, other_state}, previous_));
}

void Shard::ChangeKey(const std::string& old_key, const std::string& new_key) {
  ++counters_.notices;
  Append(ChainKind::kNotice, WriteChainNotice({.status = "key",
                                               .state = identity_.state,
                                               .shard = id_,
                                               .from = next_,
                                               .to = next_,
                                               .old_key = old_key,
                                               .new_key = new_key},
                                              previous_));
}

ShardReport Shard::Report() const {
  ShardReport report{.shard = id_,
                     .state_id = ToText(identity_.state),
                     .counters = counters_,
                     .model_version = model_version(),
                     .clean_from = clean_from_,
                     .weights = ServedWeights(Loss(plan_.spec.model, plan_.spec.learning.update),
                                              unlearner_->model()),
                     .retained_events = steps() - counters_.forgotten_events,
                     .half_life = unlearner_->HalfLife(),
                     .last_sigma = last_sigma_,
                     .regret_bound = regret_bound(),
                     .regret_noise_bound = regret_bound_.Noise(),
                     .loss_total = {},
                     .loss_events = {},
                     .unknown_members = {},
                     .pending_requests = static_cast<std::int64_t>(pending_.size()),
                     .oldest_pending = {},
                     .last_event = {},
                     .retention = {},
                     .oldest_influence = anchor_,
                     .oldest_influence_time = {},
                     .expired_since = window_.since,
                     .slides = unlearner_->slides(),
                     .lacks_clock = LacksClock(),
                     .next = next_,
                     .chain_entries = chain_entries_,
                     .chain_head = previous_};
  for (const PendingRequest& request : pending_.requests()) {
    report.retained_events -= static_cast<std::int64_t>(request.targets.size());
  }
  if (unlearner_->expires()) {
    report.retained_events = window_.retained;
    report.retention = RetentionInWords();
    if (window_.anchor_time != kNoTime) report.oldest_influence_time = window_.anchor_time;
  }
  if (pending_.size() > 0) {
    const PendingRequest& oldest = pending_.requests().front();
    // The timestamp of the request, or event time if the timestamp lies in the future.
    report.oldest_pending = std::min(oldest.receipt.received_time, oldest.time);
  }
  if (now_ != kNoTime) report.last_event = now_;
  return report;
}

}  // namespace lethe
