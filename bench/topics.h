#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "bench/events.h"
#include "connectors/kafka/admin.h"
#include "connectors/kafka/cluster.h"
#include "connectors/kafka/partitioner.h"
#include "connectors/kafka/producer.h"

namespace lethe {

inline constexpr std::chrono::milliseconds kPatience{60'000};

inline void Must(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(69);
}

// What goes into a topic: learn events with an id each, keyed by subjects in turn, and requests in
// between. With `targets`, requests are for the events before that number, and each later event is
// of a person of its own: who is asked for has as many events as before.
struct TopicStream {
  std::string topic;
  std::int32_t partitions = 1;
  Form form = Form::kJson;
  std::int64_t dimension = 20;
  std::int64_t first = 0;  // the number of the first event
  std::int64_t events = 0;
  std::int64_t subjects = 100'000;
  std::int64_t delete_every = 0;  // a request after so many events; 0: none
  bool by_subject = false;        // requests name a subject, and else an id
  std::int64_t targets = 0;       // 0: requests are for any event so far
  double rate = 0;                // events in a second; 0: as fast as possible

  std::int64_t SubjectOf(std::int64_t number) const {
    return targets > 0 && number >= targets ? number : number % subjects;
  }
};

// Asks until there is an answer: a broker that has just made a topic may not have a leader for it.
template <typename Ask>
auto Patient(const Ask& ask) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    auto answer = ask();
    if (answer.ok()) return std::move(answer).value();
    if (std::chrono::steady_clock::now() >= deadline) Must(answer.status());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

// Makes the topic if it is not there, and adds to it. Returns how many records it was.
inline std::int64_t Fill(const KafkaSettings& settings, const TopicStream& stream) {
  auto cluster = KafkaCluster::Open(settings, {}).value();
  if (!Patient([&] { return cluster->PartitionCount(stream.topic, kPatience); })) {
    Must(KafkaAdmin::Open(settings, {})
             .value()
             ->CreateTopic(stream.topic, stream.partitions, {}, kPatience));
  }
  auto producer = KafkaProducer::Start(settings, {}).value();
  const auto partitioner = Partitioner::FromName("murmur2").value();
  std::int64_t records = 0;
  Record record;
  OutMessage message{stream.topic, 0, {}, std::string(), {}};
  const auto send = [&](std::int64_t subject) {
    message.key = "user-" + std::to_string(subject);
    message.partition = partitioner.Of(*message.key, stream.partitions);
    EncodeMessage(record, stream.form, *message.value);
    Must(producer->Send(message, {}, kPatience));
    ++records;
  };
  std::uint64_t random = 1;
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t i = stream.first; i < stream.first + stream.events; ++i) {
    if (stream.rate > 0) {
      const std::chrono::duration<double> due(static_cast<double>(i - stream.first) / stream.rate);
      std::this_thread::sleep_until(
          begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(due));
    }
    MakeEvent(i, stream.dimension, record.event);
    send(stream.SubjectOf(i));
    if (stream.delete_every == 0 || (i + 1) % stream.delete_every != 0) continue;
    random = random * 6364136223846793005u + 1442695040888963407u;
    const std::int64_t targets = stream.targets > 0 ? stream.targets : i;
    const auto target = static_cast<std::int64_t>(random >> 20) % targets;
    record.event.Clear();
    record.event.kind = EventKind::kDelete;
    if (stream.by_subject) {
      record.event.subject = "user-" + std::to_string(stream.SubjectOf(target));
    } else {
      record.event.id = "e-" + std::to_string(target);
    }
    send(stream.SubjectOf(target));
    record.event.Clear();
  }
  Must(producer->Flush(kPatience));
  return records;
}

}  // namespace lethe
