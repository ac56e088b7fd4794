#include "metrics/report_samples.h"

#include <charconv>
#include <numeric>

#include "engine/spec/spec.h"

namespace lethe {
namespace {

std::string Text(ShardId shard) { return std::to_string(shard.value); }

double Seconds(TimeMs time) { return static_cast<double>(time.value) / 1000; }

void AddCounters(const Counters& counters, const std::string& shard, Families& families) {
  const auto add = [&](const char* name, const char* label, const char* value, std::int64_t n) {
    families.Add(name, {{"shard", shard}, {label, value}}, static_cast<double>(n));
  };
  add("lethe_events_total", "kind", "learn", counters.learned);
  add("lethe_events_total", "kind", "delete", counters.requests);
  add("lethe_events_total", "kind", "update", counters.updates);
  const std::int64_t rejected =
      std::accumulate(counters.rejected.begin(), counters.rejected.end(), std::int64_t{0});
  add("lethe_events_skipped_total", "why", "duplicate", counters.duplicates);
  add("lethe_events_skipped_total", "why", "refused_late", counters.refused_late);
  add("lethe_events_skipped_total", "why", "rejected", rejected);

  std::int64_t receipts = 0;
  for (std::size_t i = 0; i < counters.outcomes.size(); ++i) {
    receipts += counters.outcomes[i];
    add("lethe_erasure_requests_total", "outcome", Name(static_cast<Outcome>(i)),
        counters.outcomes[i]);
  }
  families.Add("lethe_receipts_total", {{"shard", shard}}, static_cast<double>(receipts));
}

// The retention of a shard whose events expire by their number.
std::optional<std::int64_t> RetentionEvents(const ShardReport& report) {
  const std::string& text = report.retention;
  std::int64_t events = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), events);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return events;
}

// What has expired. A slide depends on positions and times alone, so these figures do too.
void AddExpiry(const ShardReport& report, const std::string& shard, Families& families) {
  if (report.retention.empty()) return;
  const auto add = [&](const char* name, double value) {
    families.Add(name, {{"shard", shard}}, value);
  };
  if (const auto events = RetentionEvents(report)) {
    add("lethe_retention_events", static_cast<double>(*events));
  }
  add("lethe_oldest_influence_index", static_cast<double>(report.oldest_influence.value));
  if (report.oldest_influence_time && *report.oldest_influence_time != kNoTime) {
    add("lethe_oldest_influence_timestamp_seconds", Seconds(*report.oldest_influence_time));
  }
  add("lethe_window_slides_total", static_cast<double>(report.slides));
}

}  // namespace

void AddInfo(const PipelineInfo& info, Families& families) {
  if (info.deadline_seconds) {
    families.Add("lethe_erasure_deadline_seconds", {}, *info.deadline_seconds);
  }
  families.Add("lethe_model_dimensions", {}, static_cast<double>(info.weights));
  const double two_or_none = info.loss == Name(LossKind::kLogistic) ? 2 : 0;
  families.Add("lethe_model_classes", {},
               info.classes > 0 ? static_cast<double>(info.classes) : two_or_none);
  families.Add("lethe_model_radius", {}, info.radius);
  if (!info.certified || info.shards == 0) return;
  families.Add("lethe_privacy_mu", {}, info.promise.mu);
  families.Add("lethe_privacy_shard_mu", {}, info.shard_promise.mu);
  families.Add("lethe_privacy_rho", {}, info.promise.rho);
  families.Add("lethe_privacy_epsilon", {}, info.promise.epsilon);
  families.Add("lethe_privacy_delta", {}, info.promise.delta);
  families.Add("lethe_privacy_advantage_ratio", {}, info.promise.advantage);
}

void AddReport(const PipelineInfo& info, const ShardReport& report, Families& families) {
  const std::string shard = Text(report.shard);
  const auto add = [&](const char* name, double value) {
    families.Add(name, {{"shard", shard}}, value);
  };
  families.Add("lethe_pipeline_info",
               {{"shard", shard},
                {"topic", info.topic},
                {"mode", info.mode},
                {"guarantee", info.guarantee},
                {"loss", info.loss},
                {"schedule", info.schedule},
                {"config", info.config_sha256}},
               1);
  AddCounters(report.counters, shard, families);
  if (report.last_event && *report.last_event != kNoTime) {
    add("lethe_last_event_timestamp_seconds", Seconds(*report.last_event));
  }
  add("lethe_erasure_pending_requests", static_cast<double>(report.pending_requests));
  if (report.oldest_pending && *report.oldest_pending != kNoTime) {
    add("lethe_erasure_oldest_pending_timestamp_seconds", Seconds(*report.oldest_pending));
  }
  if (report.last_sigma) add("lethe_privacy_noise_stddev", *report.last_sigma);
  add("lethe_privacy_half_life_events", report.half_life);
  add("lethe_model_version", static_cast<double>(report.model_version.value));
  add("lethe_retained_events", static_cast<double>(report.retained_events));
  AddExpiry(report, shard, families);
  if (report.loss_total) add("lethe_loss_total", *report.loss_total);
  if (report.loss_events) add("lethe_loss_events_total", static_cast<double>(*report.loss_events));
  if (report.unknown_members) {
    add("lethe_unknown_members_total", static_cast<double>(*report.unknown_members));
  }
  if (report.regret_bound) add("lethe_regret_bound", *report.regret_bound);
  add("lethe_regret_noise_bound", report.regret_noise_bound);
}

}  // namespace lethe
