#include "connectors/kafka/partitioner.h"

#include <cstddef>

#include <zlib.h>

namespace lethe {
namespace {

std::uint32_t Byte(std::string_view key, std::size_t at) {
  return static_cast<unsigned char>(key[at]);
}

// MurmurHash 2 by Austin Appleby with the seed of Kafka's Java client.
std::uint32_t Murmur2(std::string_view key) {
  constexpr std::uint32_t kSeed = 0x9747b28c;
  constexpr std::uint32_t kMultiplier = 0x5bd1e995;
  constexpr int kShift = 24;
  std::uint32_t hash = kSeed ^ static_cast<std::uint32_t>(key.size());
  std::size_t at = 0;
  for (; at + 4 <= key.size(); at += 4) {
    std::uint32_t word =
        Byte(key, at) | Byte(key, at + 1) << 8 | Byte(key, at + 2) << 16 | Byte(key, at + 3) << 24;
    word *= kMultiplier;
    word ^= word >> kShift;
    hash = (hash * kMultiplier) ^ (word * kMultiplier);
  }
  const std::size_t left = key.size() - at;
  if (left == 3) hash ^= Byte(key, at + 2) << 16;
  if (left >= 2) hash ^= Byte(key, at + 1) << 8;
  if (left >= 1) hash = (hash ^ Byte(key, at)) * kMultiplier;
  hash = (hash ^ hash >> 13) * kMultiplier;
  return hash ^ hash >> 15;
}

std::uint32_t Crc32(std::string_view key) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(key.data()), key.size()));
}

// FNV-1a, read as a signed number, and of that the absolute value, as in Sarama.
std::uint32_t Fnv1a(std::string_view key) {
  constexpr std::uint32_t kOffsetBasis = 0x811c9dc5;
  constexpr std::uint32_t kPrime = 0x01000193;
  std::uint32_t hash = kOffsetBasis;
  for (std::size_t at = 0; at < key.size(); ++at) hash = (hash ^ Byte(key, at)) * kPrime;
  return static_cast<std::int32_t>(hash) < 0 ? 0 - hash : hash;
}

}  // namespace

std::optional<Partitioner> Partitioner::FromName(std::string_view name) {
  constexpr std::string_view kRandom = "_random";
  const bool is_random = name.ends_with(kRandom);
  if (is_random) name.remove_suffix(kRandom.size());
  if (name == "murmur2") return Partitioner(Kind::kMurmur2, is_random);
  if (name == "consistent") return Partitioner(Kind::kCrc32, is_random);
  if (name == "fnv1a") return Partitioner(Kind::kFnv1a, is_random);
  return std::nullopt;
}

std::optional<std::int32_t> Partitioner::Of(std::optional<std::string_view> key,
                                            std::int32_t partitions) const {
  if (!key || (key->empty() && is_random_ && kind_ == Kind::kCrc32)) return std::nullopt;
  std::uint32_t hash = 0;
  switch (kind_) {
    case Kind::kMurmur2: hash = Murmur2(*key) & 0x7fffffff; break;
    case Kind::kCrc32: hash = Crc32(*key); break;
    case Kind::kFnv1a: hash = Fnv1a(*key); break;
  }
  return static_cast<std::int32_t>(hash % static_cast<std::uint32_t>(partitions));
}

}  // namespace lethe
