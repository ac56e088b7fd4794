#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "app/replay/bad_records.h"
#include "app/replay/regret.h"
#include "app/replay/sampled_regret.h"
#include "app/replay/series.h"
#include "engine/ports/probe.h"
#include "engine/spec/loss_sum.h"

namespace lethe {

// Progressive evaluation of a whole recording: predict, then learn. It accumulates over deletions,
// so it is for whoever holds the recording and not covered by any certificate.
class Evaluation final : public Probe {
 public:
  using RowSink = std::function<void(const SeriesRow& row)>;

  // Tells a row every `every` learned events and at each effective deletion.
  Evaluation(const Loss& loss, std::int64_t every, RowSink on_row)
      : loss_(loss), every_(every), on_row_(std::move(on_row)), losses_(loss), next_row_(every) {}

  void OnLearn(ShardId shard, const LearnedStep& step) override;
  void OnRejected(ShardId shard, Offset offset, const Rejection& why) override {
    bad_records_.Add(shard, offset, why);
  }
  void OnEffective(ShardId shard, std::span<const Target> batch,
                   const Forgetting& forgetting) override;

  // From now on keeps what the exact regret needs. To be called before the first event.
  void RecordRegret(const Constants& constants) { regret_constants_ = constants; }
  double Paid() const;
  double Comparator() const;

  // The same for an estimate from this many events of each shard.
  void SampleRegret(const Constants& constants, std::int64_t slots) {
    regret_constants_ = constants;
    regret_slots_ = slots;
  }
  double EstimatedRegret() const;
  std::int64_t RegretSample() const;  // events in the reservoirs

  // Deletions that the mode itself did not certify, and why the last of them was not.
  std::int64_t uncertified() const { return uncertified_; }
  const char* why_not() const { return why_not_; }

  std::int64_t events() const { return losses_.count(); }
  const BadRecords& bad_records() const { return bad_records_; }
  std::optional<double> mean_loss() const;
  // Classification only.
  std::optional<double> accuracy() const;

 private:
  void TellRow(ShardId shard, const Forgetting* forgetting);

  Loss loss_;
  std::int64_t every_;
  RowSink on_row_;
  LossSum losses_;
  std::int64_t next_row_;  // the event at which it is told
  std::int64_t correct_ = 0;
  std::int64_t uncertified_ = 0;
  const char* why_not_ = nullptr;
  std::optional<Constants> regret_constants_;
  std::int64_t regret_slots_ = 0;  // 0: exactly
  std::map<ShardId, Regret> regrets_;
  std::map<ShardId, SampledRegret> sampled_;
  BadRecords bad_records_;
};

}  // namespace lethe
