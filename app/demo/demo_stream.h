#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "app/demo/demo_people.h"
#include "app/generate/split_mix.h"
#include "app/generate/synthetic_source.h"
#include "connectors/kafka/producer.h"
#include "engine/ports/clock.h"

namespace lethe {

// A thread that produces what the world would: events of people whose habits drift, now and then a
// bad one, and every few seconds somebody who asks to be forgotten. Stops when it is destroyed.
class DemoStream {
 public:
  static constexpr std::int64_t kDimension = 12;

  // All outlive this.
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
