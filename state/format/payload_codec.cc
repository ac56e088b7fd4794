#include "state/format/payload_codec.h"

#include <cstring>
#include <optional>

#include "state/format/bytes.h"

namespace lethe {
namespace {

// Flags in the eighth byte of an entry. kMark is always set; kHashed says that places follow, and
// kWeighted that the importance weight is the last number, because it is not 1.
constexpr std::uint8_t kMark = 0x80;
constexpr std::uint8_t kHashed = 0x40;
constexpr std::uint8_t kWeighted = 0x20;
constexpr std::size_t kHeader = 4 + 3 + 1 + 8;

// The parts of an encoded entry, as pointers into its bytes.
struct Packed {
  NumberForm form;
  std::size_t count;
  double y;
  double w;
  const char* numbers;
  const char* places;  // of hashed features; null for dense features
};

// None: the entry is damaged. Its length has been checked against its header.
std::optional<Packed> Read(std::string_view bytes) {
  if (bytes.size() < kHeader || (static_cast<std::uint8_t>(bytes[7]) & kMark) == 0) {
    return std::nullopt;
  }
  const std::size_t count = NumberAt<std::uint32_t>(bytes, 0);
  const auto form = static_cast<NumberForm>(bytes[4]);
  if (form < NumberForm::kFloat32 || form > NumberForm::kFloat64) return std::nullopt;
  const bool is_hashed = (static_cast<std::uint8_t>(bytes[7]) & kHashed) != 0;
  const std::size_t numbers = count * BytesOfNumber(form);
  const std::size_t places = is_hashed ? count * sizeof(std::uint32_t) : 0;
  const bool is_weighted = (static_cast<std::uint8_t>(bytes[7]) & kWeighted) != 0;
  const std::size_t weight_at = kHeader + numbers + places;
  if (bytes.size() != weight_at + (is_weighted ? sizeof(double) : 0)) return std::nullopt;
  const double w = is_weighted ? NumberAt<double>(bytes, weight_at) : 1;
  const char* const begin = bytes.data() + kHeader;
  return Packed{form, count, NumberAt<double>(bytes, 8),
                w,    begin, is_hashed ? begin + numbers : nullptr};
}

}  // namespace

std::string_view PayloadCodec::Encode(const Example& example) {
  const auto count = static_cast<std::size_t>(example.x.size());
  const std::size_t places = example.at.size() * sizeof(std::uint32_t);
  bytes_.resize(kHeader + count * sizeof(double) + places + sizeof example.w);
  // The buffer is sized for eight bytes a number; the places follow the numbers as written.
  const NumberForm form = WriteShortest(example.x.data(), count, bytes_.data() + kHeader);
  const std::size_t numbers = count * BytesOfNumber(form);
  const auto short_count = static_cast<std::uint32_t>(count);
  std::memcpy(bytes_.data(), &short_count, sizeof short_count);
  bytes_[4] = static_cast<char>(form);
  bytes_[5] = bytes_[6] = 0;
  const bool is_weighted = example.w != 1;
  bytes_[7] = static_cast<char>(kMark | (places > 0 ? kHashed : 0) | (is_weighted ? kWeighted : 0));
  std::memcpy(bytes_.data() + 8, &example.y, sizeof example.y);
  if (places > 0) std::memcpy(bytes_.data() + kHeader + numbers, example.at.data(), places);
  const std::size_t end = kHeader + numbers + places;
  if (is_weighted) std::memcpy(bytes_.data() + end, &example.w, sizeof example.w);
  return std::string_view(bytes_).substr(0, end + (is_weighted ? sizeof example.w : 0));
}

bool PayloadCodec::Decode(std::string_view bytes, Example& example) {
  const auto packed = Read(bytes);
  if (!packed) return false;
  example.x.resize(static_cast<Eigen::Index>(packed->count));
  ReadNumbers(packed->form, packed->numbers, packed->count, example.x.data());
  example.y = packed->y;
  example.w = packed->w;
  example.at.resize(packed->places != nullptr ? packed->count : 0);
  if (!example.at.empty()) {
    std::memcpy(example.at.data(), packed->places, packed->count * sizeof(std::uint32_t));
  }
  return true;
}

bool PayloadCodec::DecodeDense(std::string_view bytes, std::span<double> x, double& y, double& w) {
  const auto packed = Read(bytes);
  if (!packed || packed->places != nullptr || packed->count != x.size()) return false;
  ReadNumbers(packed->form, packed->numbers, packed->count, x.data());
  y = packed->y;
  w = packed->w;
  return true;
}

}  // namespace lethe
