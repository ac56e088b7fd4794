#include "state/payload_codec.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "engine/archive.h"
#include "state/bytes.h"

namespace lethe {
namespace {

// How the numbers are written. A number fits a form if it comes back with the same bits.
enum class Form : std::uint8_t { kFloat32 = 1, kDecimal9 = 2, kDecimal6 = 3, kFloat64 = 4 };
constexpr Form kForms[] = {Form::kFloat32, Form::kDecimal9, Form::kDecimal6, Form::kFloat64};
constexpr std::size_t kFormCount = sizeof kForms;
constexpr std::size_t kTryAgainEvery = 64;

// Behind the count, in the eighth byte of an entry. An entry of before begins with its count in
// eight bytes, and there is zero.
constexpr std::uint8_t kMark = 0x80;
constexpr std::uint8_t kHashed = 0x40;
constexpr std::size_t kHeader = 4 + 3 + 1 + 8;

struct AsFloat32 {
  using Number = float;
  static float Write(double x) { return static_cast<float>(x); }
  static double Read(float number) { return number; }
};

// x over a power of ten that has an integer above it: both are exact, so the quotient is the
// double that is nearest to the decimal, as in any correct reader.
template <int kPower>
struct AsDecimal {
  using Number = std::int32_t;
  // Out of range it becomes a number that does not come back.
  static std::int32_t Write(double x) {
    constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
    return static_cast<std::int32_t>(std::bit_cast<std::int64_t>(x * kPower + kRound));
  }
  static double Read(std::int32_t number) { return static_cast<double>(number) / kPower; }
};

struct AsFloat64 {
  using Number = double;
  static double Write(double x) { return x; }
  static double Read(double number) { return number; }
};

template <typename F>
auto With(Form form, const F& f) {
  switch (form) {
    case Form::kFloat32: return f(AsFloat32());
    case Form::kDecimal9: return f(AsDecimal<1'000'000'000>());
    case Form::kDecimal6: return f(AsDecimal<1'000'000>());
    default: return f(AsFloat64());
  }
}

// Whether all fit. This is where the time goes, so it is to be vectorised.
template <typename As>
[[gnu::always_inline]] inline bool WriteEach(const double* x, std::size_t count, char* to) {
  std::uint64_t differs = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const typename As::Number number = As::Write(x[i]);
    differs |= std::bit_cast<std::uint64_t>(As::Read(number)) ^ std::bit_cast<std::uint64_t>(x[i]);
    std::memcpy(to + i * sizeof number, &number, sizeof number);
  }
  return differs == 0;
}

template <typename As>
[[gnu::optimize("O3")]] bool WritePlain(const double* x, std::size_t count, char* to) {
  return WriteEach<As>(x, count, to);
}

#if defined(__x86_64__)

template <typename As>
[[gnu::optimize("O3")]] __attribute__((target("avx2"))) bool WriteWide(const double* x,
                                                                       std::size_t count,
                                                                       char* to) {
  return WriteEach<As>(x, count, to);
}
const bool kIsWide = __builtin_cpu_supports("avx2") != 0;

template <typename As>
bool WriteAll(const double* x, std::size_t count, char* to) {
  return kIsWide ? WriteWide<As>(x, count, to) : WritePlain<As>(x, count, to);
}

#else

template <typename As>
bool WriteAll(const double* x, std::size_t count, char* to) {
  return WritePlain<As>(x, count, to);
}

#endif

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
  std::size_t numbers = 0;
  // What fitted the last one most likely fits again. The last form fits all, so now and then it is
  // seen whether a shorter one does.
  if (encoded_++ % kTryAgainEvery == 0) form_ = 0;
  for (bool fits = false; !fits; form_ = fits ? form_ : (form_ + 1) % kFormCount) {
    With(kForms[form_], [&](auto as) {
      fits = WriteAll<decltype(as)>(example.x.data(), count, bytes_.data() + kHeader);
      numbers = count * sizeof(typename decltype(as)::Number);
    });
  }
  const auto short_count = static_cast<std::uint32_t>(count);
  std::memcpy(bytes_.data(), &short_count, sizeof short_count);
  bytes_[4] = static_cast<char>(kForms[form_]);
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
  const auto form = static_cast<Form>(bytes[4]);
  if (form < Form::kFloat32 || form > Form::kFloat64) return false;
  return With(form, [&](auto as) {
    using Number = typename decltype(as)::Number;
    const bool is_hashed = (static_cast<std::uint8_t>(bytes[7]) & kHashed) != 0;
    const std::size_t numbers = count * sizeof(Number);
    const std::size_t places = is_hashed ? count * sizeof(std::uint32_t) : 0;
    if (bytes.size() != kHeader + numbers + places) return false;
    example.x.resize(static_cast<Eigen::Index>(count));
    for (std::size_t i = 0; i < count; ++i) {
      example.x[static_cast<Eigen::Index>(i)] =
          as.Read(NumberAt<Number>(bytes, kHeader + i * sizeof(Number)));
    }
    example.y = NumberAt<double>(bytes, 8);
    example.at.resize(is_hashed ? count : 0);
    if (is_hashed) std::memcpy(example.at.data(), bytes.data() + kHeader + numbers, places);
    return true;
  });
}

}  // namespace lethe
