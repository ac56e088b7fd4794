#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lethe {

// Where producers place a key: the same arithmetic as theirs, so that a deletion goes where the
// events went, whoever produced them.
class Partitioner {
 public:
  // By librdkafka's names: murmur2 is Java's, consistent (CRC32) librdkafka's own, fnv1a Sarama's;
  // each also with _random, which places what has no key anywhere. None for another name.
  static std::optional<Partitioner> FromName(std::string_view name);

  // None where the producer is free to choose: without a key, and for `consistent_random` also with
  // an empty one. `partitions` is at least 1.
  std::optional<std::int32_t> Of(std::optional<std::string_view> key,
                                 std::int32_t partitions) const;

 private:
  enum class Kind { kMurmur2, kCrc32, kFnv1a };

  Partitioner(Kind kind, bool is_random) : kind_(kind), is_random_(is_random) {}

  Kind kind_;
  bool is_random_;
};

}  // namespace lethe
