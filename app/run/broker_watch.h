#pragma once

#include <chrono>
#include <string>

#include "connectors/kafka/contact.h"
#include "engine/ports/clock.h"
#include "metrics/pipeline_metrics.h"
#include "metrics/published_state.h"

namespace lethe {

// Tells outside whether the brokers are still there. A process that hears from none cannot know of
// new events or of deletions, however idle it seems: after kLongestSilence it is not ready. It
// stays healthy, since a restart would not help.
class BrokerWatch {
 public:
  static constexpr std::chrono::seconds kLongestSilence{30};

  // `brokers` as configured, for the reason that is shown. The others outlive this.
  BrokerWatch(std::string brokers, Clock& clock, PublishedState& published,
              PipelineMetrics& metrics)
      : brokers_(std::move(brokers)), clock_(clock), published_(published), metrics_(metrics) {}

  // To be called every second or so, by one thread. True when the answer to "is it ready" may have
  // changed.
  bool Look(const BrokerContact& contact);
  // Empty while they answer.
  const std::string& trouble() const { return trouble_; }

 private:
  const std::string brokers_;
  Clock& clock_;
  PublishedState& published_;
  PipelineMetrics& metrics_;
  std::string trouble_;
};

}  // namespace lethe
