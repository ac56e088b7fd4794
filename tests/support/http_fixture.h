#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "connectors/system/sodium_hash.h"
#include "http/server.h"
#include "tests/support/http_client.h"

namespace lethe::testing {

inline PipelineInfo DenseFacts() {
  PipelineInfo info;
  info.topic = "events";
  info.mode = "passive";
  info.guarantee = "joint";
  info.loss = "logistic";
  info.schedule = "constant";
  info.config_sha256 = "c0ffee";
  info.dimension = 2;
  info.weights = 2;
  info.radius = 12;
  info.certified = true;
  info.promise = {.mu = 0.25, .rho = 0.03125, .epsilon = 1, .delta = 1e-6, .advantage = 0.125};
  info.shards = 4;
  info.shard_promise.mu = 0.125;
  info.deadline_seconds = 86400;
  return info;
}

// A report of a shard in which every figure is set.
inline ShardReport FullReport(std::int64_t shard, Vector weights, std::int64_t learned) {
  ShardReport report;
  report.shard = {shard};
  report.state_id = "state-" + std::to_string(shard);
  report.counters.learned = learned;
  report.counters.updates = 1;
  report.counters.requests = 3;
  report.counters.duplicates = 4;
  report.counters.refused_late = 5;
  report.counters.rejected[static_cast<std::size_t>(Reason::kMalformed)] = 6;
  report.counters.rejected[static_cast<std::size_t>(Reason::kOversized)] = 1;
  report.counters.records = learned + 1 + 3 + 4 + 5 + 7;
  report.counters.outcomes = {2, 1, 0, 1};
  report.counters.forgotten_events = 8;
  report.counters.effective_deletions = 2;
  report.model_version = {learned + 3};
  report.clean_from = {learned + 1};
  report.weights = std::move(weights);
  report.retained_events = learned - 8;
  report.half_life = 18.5;
  report.last_sigma = 0.5;
  report.regret_bound = 100.25;
  report.regret_noise_bound = 1.5;
  report.loss_total = 12.75;
  report.loss_events = 40;
  report.unknown_members = 3;
  report.pending_requests = 1;
  report.oldest_pending = TimeMs{1'700'000'000'500};
  report.last_event = TimeMs{1'700'000'100'250};
  report.retention = "200000";
  report.oldest_influence = {learned - 7};
  report.oldest_influence_time = TimeMs{1'699'999'000'750};
  report.expired_since = {learned};
  report.slides = 2;
  report.next = {learned + 20};
  report.chain_entries = 9;
  report.chain_head = "abcd";
  return report;
}

// An HTTP server on a free port of the loopback address, until its destruction.
struct RunningServer {
  explicit RunningServer(PipelineInfo info = DenseFacts(),
                         std::optional<std::string> token = std::nullopt, HttpExtras extras = {})
      : published(std::move(info)), metrics(published, "1.2.3") {
    auto started = HttpServer::Start({.host = "127.0.0.1",
                                      .port = 0,
                                      .token = std::move(token),
                                      .hasher = &hasher,
                                      .extras = std::move(extras)},
                                     published, metrics);
    EXPECT_TRUE(started.ok()) << started.status().message();
    server = std::move(started).value();
    url = server->url();
  }

  SodiumHasher hasher;
  PublishedState published;
  PipelineMetrics metrics;
  std::unique_ptr<HttpServer> server;
  std::string url;
};

}  // namespace lethe::testing
