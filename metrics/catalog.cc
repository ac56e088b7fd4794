#include "metrics/catalog.h"

#include "engine/base/check.h"

namespace lethe {
namespace {

constexpr MetricKind kCounter = MetricKind::kCounter;
constexpr MetricKind kGauge = MetricKind::kGauge;
constexpr MetricKind kHistogram = MetricKind::kHistogram;

constexpr MetricInfo kCatalog[] = {
    // Run.
    {"lethe_build_info", kGauge, "Version of the program; always 1."},
    {"lethe_pipeline_info", kGauge, "What a shard runs, as labels; always 1."},
    {"lethe_events_total", kCounter, "Records that were applied, by kind."},
    {"lethe_events_skipped_total", kCounter, "Records that were not applied, by why."},
    {"lethe_misrouted_total", kCounter, "Records on another partition than they belong to."},
    {"lethe_dead_letters_total", kCounter, "Records sent to the dead-letter topic, by reason."},
    {"lethe_ready", kGauge, "1 when /-/ready says so, else 0."},
    {"lethe_kafka_connected_brokers", kGauge, "Brokers with an open connection."},
    {"lethe_kafka_last_contact_timestamp_seconds", kGauge,
     "When the last bytes of any broker were received."},
    {"lethe_kafka_partitions", kGauge, "Partitions of the source topic, read here or not."},
    {"lethe_kafka_lag_records", kGauge, "Last stable offset minus position; absent when unknown."},
    {"lethe_last_event_timestamp_seconds", kGauge, "Largest record timestamp that was committed."},
    {"lethe_commit_timestamp_seconds", kGauge, "When the last commit was made."},
    {"lethe_commit_duration_seconds", kHistogram, "Time that a commit took, by kind."},
    {"lethe_records_ahead_total", kCounter,
     "Records with a timestamp more than a second later than their arrival."},
    {"lethe_restores_total", kCounter, "Starts of a shard from a state on disk."},
    {"lethe_models_too_large_total", kCounter,
     "Models that were not published, because one could be too large for the topic."},
    {"lethe_queue_records", kGauge, "Records fetched and not processed yet."},
    {"lethe_state_bytes", kGauge,
     "Bytes of the state on disk, by column family, rounded up to whole MiB."},
    {"lethe_state_free_bytes", kGauge, "Bytes free on the disk of the state."},
    {"lethe_publish_pending_messages", kGauge, "Messages that no broker has acknowledged yet."},
    {"lethe_publish_oldest_pending_timestamp_seconds", kGauge,
     "When the oldest pending message was handed over; absent when none is."},
    {"lethe_http_requests_total", kCounter, "HTTP requests, by kind of path and class of answer."},
    {"lethe_http_request_duration_seconds", kHistogram,
     "Time from the head of a request to the end of its answer."},
    // Privacy.
    {"lethe_erasure_requests_total", kCounter, "Erasure requests that were answered, by outcome."},
    {"lethe_erasure_pending_requests", kGauge, "Erasure requests received and not yet effective."},
    {"lethe_erasure_oldest_pending_timestamp_seconds", kGauge,
     "Record timestamp of the oldest pending request; absent when none is."},
    {"lethe_erasure_duration_seconds", kHistogram,
     "Time from a request's record to the clean model (effective) and to the bytes gone (erased)."},
    {"lethe_erasure_deadline_seconds", kGauge, "Within which a deletion is to be effective."},
    {"lethe_privacy_mu", kGauge,
     "Promise of all that is served as mu-GDP; absent when nothing is certified."},
    {"lethe_privacy_shard_mu", kGauge,
     "Promise of what one shard releases as mu-GDP; absent when nothing is certified."},
    {"lethe_privacy_rho", kGauge, "Promise as rho; absent when nothing is certified."},
    {"lethe_privacy_epsilon", kGauge, "Epsilon of the promise at lethe_privacy_delta."},
    {"lethe_privacy_delta", kGauge, "Delta of the promise at lethe_privacy_epsilon."},
    {"lethe_privacy_advantage_ratio", kGauge, "Largest advantage of any attacker, 0 to 1."},
    {"lethe_privacy_noise_stddev", kGauge, "Standard deviation of the last draw of noise."},
    {"lethe_privacy_half_life_events", kGauge, "Events in which influence fades by half."},
    {"lethe_retention_events", kGauge,
     "No model depends on an event further back; absent if events do not expire by number."},
    {"lethe_oldest_influence_index", kGauge,
     "First event that may have influence on the model; all before it have expired."},
    {"lethe_oldest_influence_timestamp_seconds", kGauge,
     "Record timestamp of the first event that may have influence; absent when unknown."},
    {"lethe_window_slides_total", kCounter, "How often the window slid and let events expire."},
    {"lethe_receipts_total", kCounter, "Receipts written."},
    // Learning.
    {"lethe_model_version", kGauge, "Events learned plus effective deletions."},
    {"lethe_model_dimensions", kGauge, "Weights of the model."},
    {"lethe_model_classes", kGauge, "Classes of the model; 0 for a regression."},
    {"lethe_model_radius", kGauge, "Largest norm that the weights can have (model.radius)."},
    {"lethe_retained_events", kGauge, "Events that were learned and not forgotten."},
    {"lethe_loss_total", kCounter,
     "Loss of predictions made before learning; restarts at an effective deletion."},
    {"lethe_loss_events_total", kCounter,
     "Events in lethe_loss_total; restarts at an effective deletion."},
    {"lethe_unknown_members_total", kCounter,
     "Members of learned events that Lethe does not read; restarts at an effective deletion."},
    {"lethe_regret_bound", kGauge, "Bound on the regret so far, from public quantities."},
    {"lethe_regret_noise_bound", kGauge, "Part of the bound that noise costs."},
    // Process, by the usual names.
    {"process_cpu_seconds_total", kCounter, "User and system CPU time."},
    {"process_open_fds", kGauge, "Open file descriptors."},
    {"process_max_fds", kGauge, "Limit of open file descriptors."},
    {"process_resident_memory_bytes", kGauge, "Resident memory."},
    {"process_start_time_seconds", kGauge, "Start of the process since 1970."},
};

}  // namespace

std::span<const MetricInfo> MetricCatalog() { return kCatalog; }

std::size_t MetricIndex(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kCatalog); ++i) {
    if (name == kCatalog[i].name) return i;
  }
  LETHE_CHECK(false);
}

}  // namespace lethe
