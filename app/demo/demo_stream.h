#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "app/demo/demo_people.h"
#include "app/generate/synthetic_source.h"
#include "connectors/kafka/producer.h"
#include "engine/base/split_mix.h"
#include "engine/ports/clock.h"

namespace lethe {

// A thread that produces the stream of a demonstration: events of people whose habits drift, now
// and then a malformed event, and every few seconds a request to be forgotten. The destructor ends
// it. Messages that the producer does not take are dropped.
class DemoStream {
 public:
  static constexpr std::int64_t kDimension = 12;

  // Starts the thread. Borrows the producer, the people and the clock.
  DemoStream(std::string topic, KafkaProducer& producer, DemoPeople& people, Clock& clock);
  ~DemoStream();
  DemoStream(const DemoStream&) = delete;
  DemoStream& operator=(const DemoStream&) = delete;

 private:
  void Run();
  void Learn();
  void SendBad();
  void Forget();
  void Send(OutMessage message);

  const std::string topic_;
  KafkaProducer& producer_;
  DemoPeople& people_;
  SplitMix random_;
  SyntheticSource source_;
  Sample sample_;  // reused
  std::int64_t events_ = 0;
  std::int64_t requests_ = 0;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace lethe
