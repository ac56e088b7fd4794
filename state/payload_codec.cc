#include "state/payload_codec.h"

#include <cstring>

#include "engine/archive.h"
#include "state/bytes.h"

namespace lethe {
namespace {

// Behind the count, in the eighth byte of an entry. An entry of before begins with its count in
// eight bytes, and there is zero.
constexpr std::uint8_t kMark = 0x80;
constexpr std::uint8_t kHashed = 0x40;

bool DecodeOld(std::string_view bytes, Example& example) {
  LoadingArchive archive(bytes);
  archive(example);
  return archive.complete();
}

}  // namespace

std::string_view PayloadCodec::Encode(const Example& example) {
  const auto count = static_cast<std::size_t>(example.x.size());
  const std::size_t places = example.at.size() * sizeof(std::uint32_t);
  bytes_.resize(kHeader + count * sizeof(double) + places);
  form_ = forms_.Write(example.x.data(), count, bytes_.data() + kHeader);
  const std::size_t numbers = count * BytesOfNumber(form_);
  const auto short_count = static_cast<std::uint32_t>(count);
  std::memcpy(bytes_.data(), &short_count, sizeof short_count);
  bytes_[4] = static_cast<char>(form_);
  bytes_[5] = bytes_[6] = 0;
  bytes_[7] = static_cast<char>(kMark | (places > 0 ? kHashed : 0));
  std::memcpy(bytes_.data() + 8, &example.y, sizeof example.y);
  if (places > 0) std::memcpy(bytes_.data() + kHeader + numbers, example.at.data(), places);
  return std::string_view(bytes_).substr(0, kHeader + numbers + places);
}

bool PayloadCodec::Decode(std::string_view bytes, Example& example) {
  if (bytes.size() < 8 || (bytes[7] & kMark) == 0) return DecodeOld(bytes, example);
  if (bytes.size() < kHeader) return false;
  const std::size_t count = NumberAt<std::uint32_t>(bytes, 0);
  const auto form = static_cast<NumberForm>(bytes[4]);
  if (form < NumberForm::kFloat32 || form > NumberForm::kFloat64) return false;
  const bool is_hashed = (static_cast<std::uint8_t>(bytes[7]) & kHashed) != 0;
  const std::size_t numbers = count * BytesOfNumber(form);
  const std::size_t places = is_hashed ? count * sizeof(std::uint32_t) : 0;
  if (bytes.size() != kHeader + numbers + places) return false;
  example.x.resize(static_cast<Eigen::Index>(count));
  ReadNumbers(form, bytes.data() + kHeader, count, example.x.data());
  example.y = NumberAt<double>(bytes, 8);
  example.at.resize(is_hashed ? count : 0);
  if (is_hashed) std::memcpy(example.at.data(), bytes.data() + kHeader + numbers, places);
  return true;
}

}  // namespace lethe
