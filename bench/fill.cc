// Puts a stream into a topic, for the benchmarks that watch `lethe run` from outside, or removes
// the topic.
//
//   fill HOST:PORT TOPIC --events 1000000 [--dimension 20] [--float32] [--partitions 2] [...]
//   fill HOST:PORT TOPIC --remove

#include <CLI/CLI.hpp>

#include "bench/topics.h"
#include "tests/support/kafka/topics.h"

int main(int argc, char** argv) {
  std::string broker;
  lethe::TopicStream stream;
  bool is_float32 = false;
  bool is_removed = false;
  CLI::App app("Puts a stream of learn and delete events into a topic");
  app.add_option("broker", broker, "host:port")->required();
  app.add_option("topic", stream.topic, "made if it is not there")->required();
  app.add_option("--partitions", stream.partitions, "of a new topic; of an old one as it has");
  app.add_option("--dimension", stream.dimension, "length of x");
  app.add_option("--events", stream.events, "learn events");
  app.add_option("--first", stream.first, "the number of the first one");
  app.add_option("--subjects", stream.subjects, "people, in turn");
  app.add_option("--delete-every", stream.delete_every, "a request after so many events");
  app.add_option("--targets", stream.targets, "requests are for events before this number");
  app.add_option("--rate", stream.rate, "events in a second; 0: as fast as possible");
  app.add_flag("--by-subject", stream.by_subject, "requests name a subject, and else an id");
  app.add_flag("--float32", is_float32, "binary messages, and else JSON");
  app.add_flag("--remove", is_removed, "the topic goes, and nothing is added");
  CLI11_PARSE(app, argc, argv);
  const lethe::KafkaSettings settings{.brokers = broker, .properties = {}};
  if (is_removed) {
    lethe::Must(lethe::DeleteTopic(settings, stream.topic, lethe::kPatience));
    return 0;
  }
  stream.form = is_float32 ? lethe::Form::kFloat32 : lethe::Form::kJson;
  std::printf("%lld\n", static_cast<long long>(lethe::Fill(settings, stream)));
}
