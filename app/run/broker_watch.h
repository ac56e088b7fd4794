#pragma once

#include <chrono>
#include <string>

#include "connectors/kafka/contact.h"
#include "engine/ports/clock.h"
#include "metrics/pipeline_metrics.h"
#include "metrics/published_state.h"

namespace lethe {

// The watch over the connection to Kafka, for /-/ready, metrics and the log. A process that hears
// from no broker cannot know of new events or of deletions, however idle it seems: after
// kLongestSilence it is not ready. It stays healthy, since a restart would not help.
//
// Not thread-safe. Borrows the clock, the published state and the metrics.
class BrokerWatch {
 public:
  static constexpr std::chrono::seconds kLongestSilence{30};

  // `brokers` as configured, for the reason that is shown.
  BrokerWatch(std::string brokers, Clock& clock, PublishedState& published,
              PipelineMetrics& metrics)
      : brokers_(std::move(brokers)), clock_(clock), published_(published), metrics_(metrics) {}

  // To be called about once a second. Returns whether trouble() has changed.
  bool Look(const BrokerContact& contact);
  // Why the process is not ready; empty while the brokers answer.
  const std::string& trouble() const { return trouble_; }

 private:
  const std::string brokers_;
  Clock& clock_;
  PublishedState& published_;
  PipelineMetrics& metrics_;
  std::string trouble_;
};

}  // namespace lethe
