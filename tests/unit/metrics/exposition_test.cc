#include <test_paths.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "metrics/catalog.h"
#include "tests/support/http_fixture.h"

// The exposition, read by a strict reader of the text format.
namespace lethe::exposition_test {
namespace {

struct Family {
  std::string help;
  std::string type;
  std::map<std::string, double> samples;  // by name and labels as written
};

std::string BaseName(const std::string& sample, const std::map<std::string, Family>& families) {
  for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
    if (!sample.ends_with(suffix)) continue;
    std::string base = sample.substr(0, sample.size() - suffix.size());
    const auto found = families.find(base);
    if (found != families.end() && found->second.type == "histogram") return base;
  }
  return sample;
}

// Fails the test on anything that the format or its conventions do not allow.
std::map<std::string, Family> Read(const std::string& text) {
  std::map<std::string, Family> families;
  std::istringstream lines(text);
  std::string current;
  EXPECT_TRUE(text.ends_with('\n'));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, keyword, name, rest;
    if (line.starts_with("# ")) {
      words >> hash >> keyword >> name;
      std::getline(words >> std::ws, rest);
      if (keyword == "HELP") {
        EXPECT_FALSE(families.contains(name)) << "twice: " << name;
        families[name].help = rest;
        current = name;
        EXPECT_TRUE(rest.ends_with('.')) << line;
      } else {
        EXPECT_EQ(keyword, "TYPE") << line;
        EXPECT_EQ(name, current) << "TYPE without HELP before it: " << line;
        families[name].type = rest;
      }
      continue;
    }
    const std::size_t space = line.rfind(' ');
    const std::string series = line.substr(0, space);
    const std::string sample = series.substr(0, series.find('{'));
    EXPECT_EQ(BaseName(sample, families), current) << "outside of its family: " << line;
    Family& family = families[current];
    EXPECT_TRUE(family.samples.emplace(series, std::stod(line.substr(space + 1))).second)
        << "twice: " << line;
  }
  for (const auto& [name, family] : families) {
    EXPECT_FALSE(family.help.empty()) << name;
    EXPECT_FALSE(family.samples.empty()) << name;
    EXPECT_EQ(family.type == "counter", name.ends_with("_total")) << name;
  }
  return families;
}

// Every metric of the contract, and what was added to it.
const std::set<std::string>& AllNames() {
  static const std::set<std::string> names = {
      "lethe_build_info", "lethe_pipeline_info", "lethe_events_total", "lethe_events_skipped_total",
      "lethe_misrouted_total", "lethe_dead_letters_total", "lethe_kafka_lag_records",
      "lethe_last_event_timestamp_seconds", "lethe_commit_timestamp_seconds",
      "lethe_commit_duration_seconds", "lethe_restores_total", "lethe_queue_records",
      "lethe_records_ahead_total", "lethe_state_bytes", "lethe_erasure_requests_total",
      "lethe_erasure_pending_requests", "lethe_erasure_oldest_pending_timestamp_seconds",
      "lethe_erasure_duration_seconds", "lethe_erasure_deadline_seconds", "lethe_privacy_mu",
      "lethe_privacy_rho", "lethe_privacy_epsilon", "lethe_privacy_delta",
      "lethe_privacy_advantage_ratio", "lethe_privacy_noise_stddev",
      "lethe_privacy_half_life_events", "lethe_receipts_total", "lethe_model_version",
      "lethe_retained_events", "lethe_loss_total", "lethe_loss_events_total", "lethe_regret_bound",
      "lethe_regret_noise_bound",
      // Added.
      "lethe_model_classes", "lethe_unknown_members_total", "lethe_retention_events",
      "lethe_oldest_influence_index", "lethe_oldest_influence_timestamp_seconds",
      "lethe_window_slides_total", "lethe_privacy_shard_mu", "lethe_state_free_bytes",
      "lethe_ready", "lethe_models_too_large_total", "lethe_kafka_connected_brokers",
      "lethe_kafka_last_contact_timestamp_seconds", "lethe_kafka_partitions",
      "lethe_publish_pending_messages", "lethe_publish_oldest_pending_timestamp_seconds",
      "lethe_http_requests_total", "lethe_http_request_duration_seconds", "lethe_model_dimensions",
      "lethe_model_radius", "process_max_fds", "process_cpu_seconds_total", "process_open_fds",
      "process_resident_memory_bytes", "process_start_time_seconds"};
  return names;
}

std::set<std::string> Names(const std::map<std::string, Family>& families) {
  std::set<std::string> names;
  for (const auto& [name, family] : families) names.insert(name);
  return names;
}

class MetricsExposition : public ::testing::Test {
 protected:
  std::map<std::string, Family> Scrape() { return Read(metrics_.Text()); }

  // The value of a series as it is written; fails the test when there is none.
  double Value(const std::string& series) {
    for (const auto& [name, family] : Scrape()) {
      const auto found = family.samples.find(series);
      if (found != family.samples.end()) return found->second;
    }
    ADD_FAILURE() << "no series " << series;
    return std::nan("");
  }

  void ShowEverything() {
    published_.Show(testing::FullReport(0, Vector::Ones(2), 10));
    PipelineMetrics::ShardMetrics& live = metrics_.shard({0});
    live.SetLag(5);
    live.SetQueue(6);
    live.SetStateBytes("events", 7);
    live.SetCommitTime(1'700'000'000.5);
    metrics_.SetStateFree(1'000'000);
    metrics_.SetPartitions(4);
    metrics_.SetBrokers({3, 1'700'000'000.25});
    metrics_.SetPublishing(2, 1'700'000'000.75);
  }

  PublishedState published_{testing::DenseFacts()};
  PipelineMetrics metrics_{published_, "1.2.3"};
};

TEST_F(MetricsExposition, HasEveryMetricOfTheContractAndNoOther) {
  ShowEverything();
  EXPECT_EQ(Names(Scrape()), AllNames());
  std::set<std::string> catalog;
  for (const MetricInfo& info : MetricCatalog()) catalog.insert(info.name);
  EXPECT_EQ(catalog, AllNames());
}

TEST_F(MetricsExposition, LabelsAreShardAndSmallEnumsOnly) {
  ShowEverything();
  const std::set<std::string> allowed = {
      "shard",     "kind", "why",      "reason", "outcome", "stage", "le",      "family", "mode",
      "guarantee", "loss", "schedule", "config", "version", "topic", "handler", "code"};
  for (const auto& [name, family] : Scrape()) {
    for (const auto& [series, value] : family.samples) {
      const std::size_t brace = series.find('{');
      if (brace == std::string::npos) continue;
      std::istringstream labels(series.substr(brace + 1, series.size() - brace - 2));
      for (std::string label; std::getline(labels, label, ',');) {
        EXPECT_TRUE(allowed.contains(label.substr(0, label.find('=')))) << series;
      }
    }
  }
}

TEST_F(MetricsExposition, CountersAreThereAtZeroFromTheStart) {
  ShardReport fresh;
  fresh.shard = {4};
  fresh.weights = Vector::Zero(2);
  fresh.loss_total = 0;
  fresh.loss_events = 0;
  fresh.unknown_members = 0;
  published_.Show(fresh);
  metrics_.shard({4});
  for (const char* kind : {"learn", "delete", "update"}) {
    EXPECT_EQ(Value("lethe_events_total{shard=\"4\",kind=\"" + std::string(kind) + "\"}"), 0);
  }
  for (const char* why : {"duplicate", "refused_late", "rejected"}) {
    EXPECT_EQ(Value("lethe_events_skipped_total{shard=\"4\",why=\"" + std::string(why) + "\"}"), 0);
  }
  for (int i = 0; i < static_cast<int>(Reason::kCount); ++i) {
    EXPECT_EQ(Value("lethe_dead_letters_total{shard=\"4\",reason=\"" +
                    std::string(ReasonName(static_cast<Reason>(i))) + "\"}"),
              0);
  }
  for (const char* outcome : {"forgotten", "nothing_learned", "already_forgotten", "rejected"}) {
    EXPECT_EQ(
        Value("lethe_erasure_requests_total{shard=\"4\",outcome=\"" + std::string(outcome) + "\"}"),
        0);
  }
  for (const char* name :
       {"lethe_misrouted_total", "lethe_records_ahead_total", "lethe_restores_total",
        "lethe_receipts_total", "lethe_models_too_large_total", "lethe_loss_total",
        "lethe_loss_events_total", "lethe_unknown_members_total"}) {
    EXPECT_EQ(Value(std::string(name) + "{shard=\"4\"}"), 0);
  }
  EXPECT_EQ(Value("lethe_commit_duration_seconds_count{shard=\"4\",kind=\"deletion\"}"), 0);
  EXPECT_EQ(Value("lethe_erasure_duration_seconds_count{shard=\"4\",stage=\"erased\"}"), 0);
}

TEST_F(MetricsExposition, GaugesAreAbsentUntilKnown) {
  ShardReport fresh;
  fresh.shard = {4};
  published_.Show(fresh);
  metrics_.shard({4});
  const std::set<std::string> names = Names(Scrape());
  for (const char* name :
       {"lethe_kafka_lag_records", "lethe_queue_records", "lethe_commit_timestamp_seconds",
        "lethe_last_event_timestamp_seconds", "lethe_erasure_oldest_pending_timestamp_seconds",
        "lethe_privacy_noise_stddev", "lethe_regret_bound", "lethe_state_bytes",
        "lethe_state_free_bytes", "lethe_kafka_connected_brokers", "lethe_kafka_partitions",
        "lethe_kafka_last_contact_timestamp_seconds", "lethe_publish_pending_messages",
        "lethe_publish_oldest_pending_timestamp_seconds"}) {
    EXPECT_FALSE(names.contains(name)) << name;
  }
}

TEST_F(MetricsExposition, ALagThatIsNotKnownAnyMoreIsAbsent) {
  metrics_.shard({4}).SetLag(0);
  EXPECT_TRUE(Names(Scrape()).contains("lethe_kafka_lag_records"));
  metrics_.shard({4}).SetLag(std::nullopt);
  EXPECT_FALSE(Names(Scrape()).contains("lethe_kafka_lag_records"));
  metrics_.SetPublishing(1, 5.0);
  EXPECT_EQ(Value("lethe_publish_oldest_pending_timestamp_seconds"), 5);
  metrics_.SetPublishing(0, std::nullopt);
  EXPECT_FALSE(Names(Scrape()).contains("lethe_publish_oldest_pending_timestamp_seconds"));
}

TEST_F(MetricsExposition, ReadyIsANumber) {
  EXPECT_EQ(Value("lethe_ready"), 1);
  published_.SetNotReady("broker", "it is away");
  EXPECT_EQ(Value("lethe_ready"), 0);
  published_.SetReady("broker");
  EXPECT_EQ(Value("lethe_ready"), 1);
}

TEST_F(MetricsExposition, RequestsAreCountedByKindOfPathAndClassOfAnswer) {
  using Handler = HttpMetrics::Handler;
  EXPECT_EQ(Value("lethe_http_requests_total{handler=\"predict\",code=\"4xx\"}"), 0);
  metrics_.http().Observe(Handler::kPredict, 200, 0.02);
  metrics_.http().Observe(Handler::kPredict, 413, 0.5);
  metrics_.http().Observe(Handler::kOther, 404, 0.0001);
  EXPECT_EQ(Value("lethe_http_requests_total{handler=\"predict\",code=\"2xx\"}"), 1);
  EXPECT_EQ(Value("lethe_http_requests_total{handler=\"predict\",code=\"4xx\"}"), 1);
  EXPECT_EQ(Value("lethe_http_requests_total{handler=\"other\",code=\"4xx\"}"), 1);
  EXPECT_EQ(Value("lethe_http_request_duration_seconds_bucket{handler=\"predict\",le=\"0.1\"}"), 1);
  EXPECT_EQ(Value("lethe_http_request_duration_seconds_count{handler=\"predict\"}"), 2);
}

TEST_F(MetricsExposition, NothingCommittedNothingShown) {
  for (const auto& [name, family] : Scrape()) {
    for (const auto& [series, value] : family.samples) {
      EXPECT_EQ(series.find("shard="), std::string::npos) << series;
    }
  }
}

TEST_F(MetricsExposition, ValuesAreThoseOfTheReport) {
  ShowEverything();
  EXPECT_EQ(Value("lethe_build_info{version=\"1.2.3\"}"), 1);
  EXPECT_EQ(
      Value("lethe_pipeline_info{shard=\"0\",topic=\"events\",mode=\"passive\",guarantee=\"joint\","
            "loss=\"logistic\",schedule=\"constant\",config=\"c0ffee\"}"),
      1);
  EXPECT_EQ(Value("lethe_events_total{shard=\"0\",kind=\"learn\"}"), 10);
  EXPECT_EQ(Value("lethe_events_total{shard=\"0\",kind=\"delete\"}"), 3);
  EXPECT_EQ(Value("lethe_events_total{shard=\"0\",kind=\"update\"}"), 1);
  EXPECT_EQ(Value("lethe_events_skipped_total{shard=\"0\",why=\"rejected\"}"), 7);
  EXPECT_EQ(Value("lethe_erasure_requests_total{shard=\"0\",outcome=\"forgotten\"}"), 2);
  EXPECT_EQ(Value("lethe_receipts_total{shard=\"0\"}"), 4);
  EXPECT_EQ(Value("lethe_erasure_pending_requests{shard=\"0\"}"), 1);
  EXPECT_EQ(Value("lethe_erasure_oldest_pending_timestamp_seconds{shard=\"0\"}"), 1700000000.5);
  EXPECT_EQ(Value("lethe_last_event_timestamp_seconds{shard=\"0\"}"), 1700000100.25);
  EXPECT_EQ(Value("lethe_commit_timestamp_seconds{shard=\"0\"}"), 1700000001);  // rounded up
  EXPECT_EQ(Value("lethe_privacy_mu"), 0.25);
  EXPECT_EQ(Value("lethe_privacy_shard_mu"), 0.125);
  EXPECT_EQ(Value("lethe_privacy_delta"), 1e-6);
  EXPECT_EQ(Value("lethe_erasure_deadline_seconds"), 86400);
  EXPECT_EQ(Value("lethe_model_version{shard=\"0\"}"), 13);
  EXPECT_EQ(Value("lethe_loss_total{shard=\"0\"}"), 12.75);
  EXPECT_EQ(Value("lethe_kafka_lag_records{shard=\"0\"}"), 5);
  EXPECT_EQ(Value("lethe_state_bytes{shard=\"0\",family=\"events\"}"), 7);
  EXPECT_EQ(Value("lethe_state_free_bytes"), 1'000'000);
  EXPECT_EQ(Value("lethe_kafka_partitions{topic=\"events\"}"), 4);
  EXPECT_EQ(Value("lethe_kafka_connected_brokers"), 3);
  EXPECT_EQ(Value("lethe_kafka_last_contact_timestamp_seconds"), 1700000000.25);
  EXPECT_EQ(Value("lethe_publish_pending_messages"), 2);
  EXPECT_EQ(Value("lethe_publish_oldest_pending_timestamp_seconds"), 1700000000.75);
  EXPECT_EQ(Value("lethe_model_dimensions"), 2);
  EXPECT_EQ(Value("lethe_model_radius"), 12);
  EXPECT_EQ(Value("lethe_retention_events{shard=\"0\"}"), 200'000);
  EXPECT_EQ(Value("lethe_oldest_influence_index{shard=\"0\"}"), 3);
  EXPECT_EQ(Value("lethe_oldest_influence_timestamp_seconds{shard=\"0\"}"), 1'699'999'000.75);
  EXPECT_EQ(Value("lethe_window_slides_total{shard=\"0\"}"), 2);
}

TEST_F(MetricsExposition, WhereEventsDoNotExpireThereIsNoRetention) {
  ShardReport report = testing::FullReport(0, Vector::Ones(2), 10);
  report.retention.clear();
  published_.Show(report);
  for (const char* name : {"lethe_retention", "lethe_oldest_influence", "lethe_window"}) {
    EXPECT_EQ(metrics_.Text().find(name), std::string::npos) << name;
  }
}

TEST_F(MetricsExposition, ARetentionInTimeIsNoNumberOfEvents) {
  ShardReport report = testing::FullReport(0, Vector::Ones(2), 10);
  report.retention = "30d";
  report.oldest_influence_time.reset();
  published_.Show(report);
  EXPECT_EQ(metrics_.Text().find("lethe_retention_events"), std::string::npos);
  EXPECT_EQ(metrics_.Text().find("lethe_oldest_influence_timestamp_seconds"), std::string::npos);
  EXPECT_EQ(Value("lethe_oldest_influence_index{shard=\"0\"}"), 3);
}

TEST_F(MetricsExposition, RequestsForWhatIsNotRetainedAreCounted) {
  ShardReport report = testing::FullReport(0, Vector::Ones(2), 10);
  report.counters.outcomes[static_cast<std::size_t>(Outcome::kNotRetained)] = 4;
  published_.Show(report);
  EXPECT_EQ(Value("lethe_erasure_requests_total{shard=\"0\",outcome=\"not_retained\"}"), 4);
}

TEST_F(MetricsExposition, DataDependentSeriesRestartWithTheReport) {
  ShardReport report = testing::FullReport(0, Vector::Ones(2), 10);
  published_.Show(report);
  report.loss_total = 0.5;
  report.loss_events = 1;
  published_.Show(report);
  EXPECT_EQ(Value("lethe_loss_total{shard=\"0\"}"), 0.5);
  EXPECT_EQ(Value("lethe_loss_events_total{shard=\"0\"}"), 1);
}

TEST_F(MetricsExposition, ALossThatIsNotToldHasNoSeries) {
  ShardReport report = testing::FullReport(0, Vector::Ones(2), 10);
  report.loss_total.reset();
  report.loss_events.reset();
  published_.Show(report);
  EXPECT_EQ(metrics_.Text().find("lethe_loss"), std::string::npos);
}

TEST_F(MetricsExposition, NothingIsPromisedBeforeTheNumberOfShardsIsKnown) {
  PipelineInfo info = testing::DenseFacts();
  info.shards = 0;
  PublishedState published(info);
  const PipelineMetrics metrics(published, "1");
  EXPECT_EQ(metrics.Text().find("lethe_privacy_mu"), std::string::npos);
  info.shards = 4;
  published.SetInfo(info);
  EXPECT_NE(metrics.Text().find("\nlethe_privacy_mu 0.25\n"), std::string::npos);
}

TEST_F(MetricsExposition, AnEndlessHalfLifeIsInfinite) {
  ShardReport report = testing::FullReport(0, Vector::Ones(2), 10);
  report.half_life = std::numeric_limits<double>::infinity();
  published_.Show(report);
  EXPECT_NE(metrics_.Text().find("lethe_privacy_half_life_events{shard=\"0\"} +Inf\n"),
            std::string::npos);
}

TEST_F(MetricsExposition, LiveCountersCount) {
  PipelineMetrics::ShardMetrics& live = metrics_.shard({1});
  EXPECT_EQ(&live, &metrics_.shard({1}));
  EXPECT_EQ(metrics_.find({1}), &live);
  EXPECT_EQ(metrics_.find({2}), nullptr);
  live.AddDeadLetter(Reason::kWrongDimension);
  live.AddDeadLetter(Reason::kWrongDimension);
  live.AddMisrouted();
  live.AddRestore();
  live.ObserveCommit(false, 0.003);
  live.ObserveCommit(true, 0.004);
  live.ObserveCommit(true, 100);
  live.ObserveErasure(ErasureStage::kEffective, 30);
  live.ObserveErasure(ErasureStage::kErased, 7200);
  EXPECT_EQ(Value("lethe_dead_letters_total{shard=\"1\",reason=\"wrong_dimension\"}"), 2);
  EXPECT_EQ(Value("lethe_misrouted_total{shard=\"1\"}"), 1);
  EXPECT_EQ(Value("lethe_restores_total{shard=\"1\"}"), 1);
  EXPECT_EQ(Value("lethe_commit_duration_seconds_count{shard=\"1\",kind=\"learn\"}"), 1);
  EXPECT_EQ(Value("lethe_commit_duration_seconds_count{shard=\"1\",kind=\"deletion\"}"), 2);
  EXPECT_EQ(Value("lethe_commit_duration_seconds_bucket{shard=\"1\",kind=\"deletion\",le=\"0.1\"}"),
            1);
  EXPECT_EQ(
      Value("lethe_commit_duration_seconds_bucket{shard=\"1\",kind=\"deletion\",le=\"+Inf\"}"), 2);
  EXPECT_EQ(
      Value("lethe_erasure_duration_seconds_bucket{shard=\"1\",stage=\"effective\",le=\"60\"}"), 1);
  EXPECT_EQ(Value("lethe_erasure_duration_seconds_sum{shard=\"1\",stage=\"erased\"}"), 7200);
}

// A commit with a long payload takes a little longer than one with a short payload. The series runs
// on over the deletion of that event.
TEST_F(MetricsExposition, ACommitTimeDoesNotTellHowMuchWasWritten) {
  metrics_.shard({0}).ObserveCommit(false, 0.0002);
  metrics_.shard({1}).ObserveCommit(false, 0.0521);
  const auto of_shard = [this](const std::string& shard) {
    std::string lines;
    std::istringstream text(metrics_.Text());
    for (std::string line; std::getline(text, line);) {
      const std::size_t at = line.find("{shard=\"" + shard + "\",kind=\"learn\"");
      if (line.rfind("lethe_commit_duration_seconds", 0) != 0 || at == std::string::npos) continue;
      lines += line.replace(at, 9 + shard.size(), "{") + "\n";
    }
    return lines;
  };
  EXPECT_NE(of_shard("0"), "");
  EXPECT_EQ(of_shard("0"), of_shard("1"));
}

TEST_F(MetricsExposition, NothingIsPromisedWithoutACertificate) {
  PipelineInfo info = testing::DenseFacts();
  info.certified = false;
  info.deadline_seconds.reset();
  const PublishedState published(info);
  const std::string text = PipelineMetrics(published, "1").Text();
  for (const char* name :
       {"lethe_privacy_mu", "lethe_privacy_rho", "lethe_privacy_epsilon", "lethe_privacy_delta",
        "lethe_privacy_advantage_ratio", "lethe_erasure_deadline_seconds"}) {
    EXPECT_EQ(text.find(name), std::string::npos) << name;
  }
}

TEST_F(MetricsExposition, LabelValuesAreEscaped) {
  PipelineInfo info = testing::DenseFacts();
  info.mode = "a\"b\\c\nd";
  PublishedState published(info);
  published.Show(testing::FullReport(0, Vector::Ones(2), 10));
  const PipelineMetrics metrics(published, "1");
  EXPECT_NE(metrics.Text().find(R"(mode="a\"b\\c\nd")"), std::string::npos);
}

TEST_F(MetricsExposition, TheProcessMeasuresItself) {
  EXPECT_GT(Value("process_resident_memory_bytes"), 1e6);
  EXPECT_LT(Value("process_resident_memory_bytes"), 1e12);
  EXPECT_GE(Value("process_open_fds"), 3);
  EXPECT_GT(Value("process_start_time_seconds"), 1.6e9);
  EXPECT_GE(Value("process_cpu_seconds_total"), 0);
}

TEST(MetricsDocs, NameEveryMetric) {
  std::ifstream file(std::string(LETHE_SOURCE_DIR) + "/docs/metrics.md");
  const std::string docs{std::istreambuf_iterator<char>(file), {}};
  for (const MetricInfo& info : MetricCatalog()) {
    EXPECT_NE(docs.find('`' + std::string(info.name) + '`'), std::string::npos) << info.name;
  }
}

TEST(MetricsEndpoint, ServesTheTextFormat) {
  testing::RunningServer server;
  server.published.Show(testing::FullReport(0, Vector::Ones(2), 10));
  const testing::HttpReply reply = testing::Get(server.url, "/metrics");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_TRUE(Read(reply.body).contains("lethe_events_total"));
}

}  // namespace
}  // namespace lethe::exposition_test
