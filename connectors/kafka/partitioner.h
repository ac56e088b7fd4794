#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lethe {

// A partitioner that computes the partition of a key exactly as a producer's client library does,
// so that a deletion goes to the partition of the events. An immutable value; thread-safe.
class Partitioner {
 public:
  // The names are librdkafka's: murmur2 is the default of the Java client, consistent (CRC32) that
  // of librdkafka, and fnv1a that of Sarama. Each may end in _random, which puts messages without a
  // key on any partition. Nothing for another name.
  static std::optional<Partitioner> FromName(std::string_view name);

  // The partition of a key, or nothing where the producer is free to choose: without a key, and for
  // `consistent_random` with an empty key too. `partitions` is at least 1.
  std::optional<std::int32_t> Of(std::optional<std::string_view> key,
                                 std::int32_t partitions) const;

 private:
  enum class Kind { kMurmur2, kCrc32, kFnv1a };

  Partitioner(Kind kind, bool is_random) : kind_(kind), is_random_(is_random) {}

  Kind kind_;
  bool is_random_;
};

}  // namespace lethe
