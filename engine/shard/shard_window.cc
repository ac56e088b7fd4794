// Shard: the window of a mode that lets old events expire.

#include "engine/base/archive.h"
#include "engine/shard/shard.h"

namespace lethe {

// Everything that depends on an event before the new anchor goes, or begins anew. The notice makes
// the commit a synced one, so that no byte is erased before the slide is durable.
void Shard::Slide(const Position& position) {
  anchor_ = unlearner_->anchor();
  ports_.state.DropBefore(anchor_);
  ports_.state.RetireModels();
  seen_.DropBefore(anchor_);
  window_.retained = ports_.payloads.count();
  window_.since = clean_from_ = model_version();
  ports_.probe.OnExpired(id_);
  ++counters_.notices;
  Append(ChainKind::kNotice, WriteExpiredNotice({.state = identity_.state,
                                                 .shard = id_,
                                                 .anchor = anchor_,
                                                 .model_version = window_.since,
                                                 .offset = position.offset,
                                                 .time = position.timestamp},
                                                previous_));
  if (now_ != kNoTime) erasures_.push_back({{}, previous_, now_, kNoTime, {}});
}

bool Shard::IsDuplicate(const KeyHash& id) const {
  return ports_.state.FindId(id) || (!seen_.empty() && seen_.Has(pseudonymizer_.Lasting(id)));
}

void Shard::NoteSeen(const KeyHash& id, EventIndex index) {
  if (unlearner_->window() > 0) seen_.Add(pseudonymizer_.Lasting(id), index);
}

void Shard::SaveWindow() {
  if (unlearner_->window() == 0) return;
  window_.not_retained = counters_.outcomes[static_cast<std::size_t>(Outcome::kNotRetained)];
  SavingArchive archive;
  archive(window_);
  ports_.state.Put(Part::kWindow, archive.Take());
  seen_.Save(ports_.state);
}

Status Shard::LoadWindow() {
  anchor_ = unlearner_->anchor();
  if (unlearner_->window() == 0) return Status::Ok();
  const auto saved = ports_.state.Get(Part::kWindow);
  LoadingArchive archive(saved ? *saved : std::string_view());
  archive(window_);
  if (!archive.complete()) {
    return {ErrorCode::kInput,
            "shard " + std::to_string(id_.value) + ": the stored window cannot be read"};
  }
  counters_.outcomes[static_cast<std::size_t>(Outcome::kNotRetained)] = window_.not_retained;
  return seen_.Load(ports_.state);
}

}  // namespace lethe
