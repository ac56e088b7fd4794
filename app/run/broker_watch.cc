#include "app/run/broker_watch.h"

#include "app/log.h"

namespace lethe {

bool BrokerWatch::Look(const BrokerContact& contact) {
  const auto heard = static_cast<double>(clock_.NowMs() - contact.silence.count()) / 1000;
  metrics_.SetBrokers({contact.connected, heard});
  const bool is_silent = contact.silence > kLongestSilence;
  if (is_silent == !trouble_.empty()) return false;
  if (!is_silent) {
    trouble_.clear();
    published_.SetReady("broker");
    LogInfo("the brokers answer again", {{"brokers", brokers_}});
    return true;
  }
  trouble_ = "Kafka: no answer from " + brokers_ + " for more than " +
             std::to_string(kLongestSilence.count()) +
             " seconds; what was sent meanwhile, deletions too, is not known here";
  if (!contact.last_error.empty()) trouble_ += "; the last error was: " + contact.last_error;
  published_.SetNotReady("broker", trouble_);
  published_.AddTrouble({clock_.NowMs(), trouble_});
  LogWarning(trouble_);
  return true;
}

}  // namespace lethe
