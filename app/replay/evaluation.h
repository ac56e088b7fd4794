#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "app/replay/bad_records.h"
#include "app/replay/quality.h"
#include "app/replay/regret.h"
#include "app/replay/sampled_regret.h"
#include "app/replay/series.h"
#include "engine/ports/probe.h"

namespace lethe {

// The progressive evaluation of a recording: each event is predicted and then learned. Its figures
// accumulate over deletions, so they are for the owner of the recording, and no certificate covers
// them. Not thread-safe; one object serves all shards of a replay.
class Evaluation final : public Probe {
 public:
  using RowSink = std::function<void(const SeriesRow& row)>;

  // Calls `on_row` every `every` learned events and at each effective deletion.
  Evaluation(const Loss& loss, std::int64_t every, RowSink on_row)
      : loss_(loss), every_(every), on_row_(std::move(on_row)), tally_(loss), next_row_(every) {}

  void OnLearn(ShardId shard, const LearnedStep& step) override;
  void OnRejected(ShardId shard, Offset offset, const Rejection& why) override {
    bad_records_.Add(shard, offset, why);
  }
  void OnEffective(ShardId shard, std::span<const Target> batch,
                   const Forgetting& forgetting) override;

  // Makes the evaluation keep all payloads for the exact regret. To be called before the first
  // event.
  void RecordRegret(const Constants& constants) { regret_constants_ = constants; }
  // After RecordRegret: the two parts of the regret, summed over shards. Comparator solves once for
  // each deletion.
  double Paid() const;
  double Comparator() const;

  // Makes the evaluation keep this many events of each shard, for an estimate of the regret. To be
  // called before the first event.
  void SampleRegret(const Constants& constants, std::int64_t slots) {
    regret_constants_ = constants;
    regret_slots_ = slots;
  }
  double EstimatedRegret() const;
  std::int64_t RegretSample() const;  // events in the reservoirs

  // How many deletions the mode did not certify, and why it did not certify the last of them.
  std::int64_t uncertified() const { return uncertified_; }
  const char* why_not() const { return why_not_; }

  std::int64_t events() const { return tally_.events(); }
  // Members of learned events that Lethe does not read.
  std::int64_t unknown_members() const { return unknown_members_; }
  const BadRecords& bad_records() const { return bad_records_; }
  // All figures of the predictions; mean loss and accuracy are among them.
  Quality quality() const { return tally_.Result(); }

 private:
  void TellRow(ShardId shard, const Forgetting* forgetting);

  Loss loss_;
  std::int64_t every_;
  RowSink on_row_;
  QualityTally tally_;
  std::int64_t next_row_;  // the number of events at which the next row is due
  std::int64_t unknown_members_ = 0;
  std::int64_t uncertified_ = 0;
  const char* why_not_ = nullptr;
  std::optional<Constants> regret_constants_;
  std::int64_t regret_slots_ = 0;  // 0: the regret is exact
  std::map<ShardId, Regret> regrets_;
  std::map<ShardId, SampledRegret> sampled_;
  BadRecords bad_records_;
};

}  // namespace lethe
