#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/double_double.h"
#include "engine/base/types.h"

// Serialisation of the engine's parts. A class lists its fields once,
//
//   template <typename Self, typename Archive>
//   static void Fields(Self& self, Archive& archive) { archive(self.steps_, self.log_); }
//
// and SavingArchive and LoadingArchive visit that list. The format is little-endian. An integer or
// a double takes 8 bytes; a bool, an enum and the presence of an optional take 1; texts, vectors
// and maps begin with their length (docs/formats/state.md). A map is written in order of its keys,
// so that equal states have equal bytes. Archives are not thread-safe.
namespace lethe {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian");

template <typename T, typename Archive>
concept HasFields = requires(T& value, Archive& archive) {
  T::Fields(value, archive);
};

// Serialises values into a string that it owns. It cannot fail.
class SavingArchive {
 public:
  template <typename... T>
  void operator()(const T&... values) {
    (Put(values), ...);
  }

  // Moves the bytes out; the archive must not be used afterwards.
  std::string Take() { return std::move(bytes_); }

 private:
  template <typename T>
  void Put(const T& value) {
    if constexpr (HasFields<const T, SavingArchive>) {
      T::Fields(value, *this);
    } else if constexpr (std::is_same_v<T, double>) {
      Raw(value);
    } else if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
      Raw(static_cast<std::uint8_t>(value));
    } else {
      static_assert(std::integral<T>, "no way to save this type");
      Raw(static_cast<std::uint64_t>(value));
    }
  }
  template <typename Tag>
  void Put(const StrongInt<Tag>& value) {
    Put(value.value);
  }
  void Put(const KeyHash& hash) { (*this)(hash.low, hash.high); }
  void Put(const DoubleDouble& value) { (*this)(value.high, value.low); }
  void Put(const std::string& text) {
    Put(text.size());
    bytes_ += text;
  }
  void Put(const Vector& vector) {
    Put(vector.size());
    Append(vector.data(), static_cast<std::size_t>(vector.size()) * sizeof(double));
  }
  template <std::size_t n>
  void Put(const std::array<std::uint8_t, n>& bytes) {
    Append(bytes.data(), n);
  }
  template <typename T, std::size_t n>
  void Put(const std::array<T, n>& values) {
    for (const T& value : values) Put(value);
  }
  template <typename T>
  void Put(const std::optional<T>& value) {
    Put(value.has_value());
    if (value) Put(*value);
  }
  template <typename T>
  void Put(const std::vector<T>& values) {
    Put(values.size());
    for (const T& value : values) Put(value);
  }
  template <typename A, typename B>
  void Put(const std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <typename K, typename V>
  void Put(const std::unordered_map<K, V>& map) {
    std::map<K, const V*> ordered;
    for (const auto& [key, value] : map) ordered.emplace(key, &value);
    Put(ordered.size());
    for (const auto& [key, value] : ordered) (*this)(key, *value);
  }

  template <typename T>
  void Raw(T value) {
    Append(&value, sizeof value);
  }
  void Append(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }

  std::string bytes_;
};

// Deserialises the bytes of a SavingArchive, which it borrows. Past the end of the bytes, or after
// a length that exceeds them, every value reads as zero and complete() is false. So the caller
// checks once, at the end, and discards the values if the check fails.
class LoadingArchive {
 public:
  explicit LoadingArchive(std::string_view bytes) : rest_(bytes) {}

  template <typename... T>
  void operator()(T&... values) {
    (Get(values), ...);
  }

  // Whether no byte is left to read.
  bool at_end() const { return rest_.empty(); }
  // Whether every value could be read and no byte is left.
  bool complete() const { return ok_ && rest_.empty(); }

 private:
  template <typename T>
  void Get(T& value) {
    if constexpr (HasFields<T, LoadingArchive>) {
      T::Fields(value, *this);
    } else if constexpr (std::is_same_v<T, double>) {
      value = Raw<double>();
    } else if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
      value = static_cast<T>(Raw<std::uint8_t>());
    } else {
      static_assert(std::integral<T>, "no way to load this type");
      value = static_cast<T>(Raw<std::uint64_t>());
    }
  }
  template <typename Tag>
  void Get(StrongInt<Tag>& value) {
    Get(value.value);
  }
  void Get(KeyHash& hash) { (*this)(hash.low, hash.high); }
  void Get(DoubleDouble& value) { (*this)(value.high, value.low); }
  void Get(std::string& text) { text = Cut(Length(1)); }
  void Get(Vector& vector) {
    const std::string_view bytes = Cut(Length(sizeof(double)) * sizeof(double));
    vector.resize(static_cast<Eigen::Index>(bytes.size() / sizeof(double)));
    if (!bytes.empty()) std::memcpy(vector.data(), bytes.data(), bytes.size());
  }
  template <std::size_t n>
  void Get(std::array<std::uint8_t, n>& bytes) {
    const std::string_view from = Cut(n);
    bytes.fill(0);
    std::copy(from.begin(), from.end(), bytes.begin());
  }
  template <typename T, std::size_t n>
  void Get(std::array<T, n>& values) {
    for (T& value : values) Get(value);
  }
  template <typename T>
  void Get(std::optional<T>& value) {
    bool has_value = false;
    Get(has_value);
    value.reset();
    if (has_value) Get(value.emplace());
  }
  template <typename T>
  void Get(std::vector<T>& values) {
    values.clear();
    const std::size_t count = Length(1);
    for (std::size_t i = 0; i < count && ok_; ++i) Get(values.emplace_back());
  }
  template <typename A, typename B>
  void Get(std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <typename K, typename V>
  void Get(std::unordered_map<K, V>& map) {
    map.clear();
    const std::size_t count = Length(1);
    for (std::size_t i = 0; i < count && ok_; ++i) {
      K key{};
      Get(key);
      Get(map[key]);
    }
  }

  // Reads the number of elements that follow, each of at least `size` bytes. A number that the rest
  // cannot hold is an error and reads as 0, so damaged bytes cannot cause a large allocation.
  std::size_t Length(std::size_t size) {
    const auto count = Raw<std::uint64_t>();
    if (count <= rest_.size() / size) return count;
    ok_ = false;
    return 0;
  }
  std::string_view Cut(std::size_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      rest_ = {};
    }
    const std::string_view cut = rest_.substr(0, size);
    rest_.remove_prefix(cut.size());
    return cut;
  }
  template <typename T>
  T Raw() {
    T value{};
    const std::string_view bytes = Cut(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace lethe
