#include "engine/admission/feature_hash.h"

#include <algorithm>
#include <vector>

#include "engine/base/check.h"

namespace lethe {
namespace {

// FNV-1a, 64 bits (Fowler, Noll, Vo).
std::uint64_t Fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash ^= static_cast<std::uint8_t>(byte);
    hash *= 0x100000001b3;
  }
  return hash;
}

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014). FNV alone leaves the high bits of short
// names nearly constant, and the sign is one of them.
std::uint64_t Finalise(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

struct Term {
  std::uint32_t index;
  std::uint32_t position;  // in the event
  double value;
};

// Sorts by index, adds up the terms of each index in the order of the event, and drops sums of
// zero. O(n log n). The fixed order makes the rounding, and so the model, reproducible.
void Merge(std::vector<Term>& terms) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    return a.index != b.index ? a.index < b.index : a.position < b.position;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.size();) {
    Term sum = terms[i];
    for (++i; i < terms.size() && terms[i].index == sum.index; ++i) sum.value += terms[i].value;
    if (sum.value != 0) terms[kept++] = sum;
  }
  terms.resize(kept);
}

}  // namespace

HashedFeature HashFeature(std::string_view name, std::int64_t bits) {
  const std::uint64_t hash = Finalise(Fnv1a(name));
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  return {static_cast<std::uint32_t>(hash & mask), (hash >> 63) == 0 ? 1.0 : -1.0};
}

void HashFeatures(const NamedValues& named, std::int64_t bits, bool bias, Example& example) {
  LETHE_CHECK(bits >= 1 && bits <= kMaxHashBits && named.size() <= kMaxFeatures);
  std::vector<Term> terms;
  terms.reserve(named.size() + 1);
  for (const auto& [name, value] : named) {
    const HashedFeature feature = HashFeature(name, bits);
    const auto position = static_cast<std::uint32_t>(terms.size());
    terms.push_back({feature.index, position, feature.sign * value});
  }
  Merge(terms);
  if (bias) terms.push_back({std::uint32_t{1} << bits, 0, 1});
  example.at.resize(terms.size());
  example.x.resize(static_cast<Eigen::Index>(terms.size()));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    example.at[i] = terms[i].index;
    example.x[static_cast<Eigen::Index>(i)] = terms[i].value;
  }
}

}  // namespace lethe
