// Payloads on disk: no bit is lost, and short where they can be.

#include "state/format/payload_codec.h"

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "engine/base/archive.h"

namespace lethe::payload_codec_test {
namespace {

constexpr std::size_t kHeader = 16;

Example Filled(Eigen::Index count, const std::function<double()>& next) {
  Example example;
  example.x.resize(count);
  for (double& number : example.x) number = next();
  example.y = -0.75;
  return example;
}

void ExpectSame(const Example& a, const Example& b) {
  ASSERT_EQ(a.x.size(), b.x.size());
  for (Eigen::Index i = 0; i < a.x.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a.x[i]), std::bit_cast<std::uint64_t>(b.x[i])) << i;
  }
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.at, b.at);
}

std::size_t RoundTrip(PayloadCodec& codec, const Example& example) {
  const std::string bytes(codec.Encode(example));
  Example back;
  EXPECT_TRUE(PayloadCodec::Decode(bytes, back));
  ExpectSame(example, back);
  EXPECT_NE(bytes.find_first_not_of('\0'), std::string::npos);  // or it would count as erased
  // Neither cut off nor with more behind it.
  EXPECT_FALSE(PayloadCodec::Decode(bytes.substr(0, bytes.size() - 1), back));
  EXPECT_FALSE(PayloadCodec::Decode(bytes + 'x', back));
  return bytes.size();
}

TEST(PayloadCodecTest, NumbersTakeFourBytesWhereTheyCan) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto rounded = [&](double scale, double ones) {
    return [&, scale, ones] { return std::round(unit(random) * scale) / ones; };
  };
  const auto expect = [](std::size_t bytes, const std::function<double()>& next) {
    PayloadCodec codec;
    for (int round = 0; round < 200; ++round) {
      EXPECT_EQ(RoundTrip(codec, Filled(50, next)), kHeader + 50 * bytes);
    }
  };
  expect(4, [&] { return double{static_cast<float>(unit(random))}; });
  expect(4, rounded(1e6, 1e6));
  expect(4, rounded(2e9, 1e9));
  expect(4, rounded(2e9, 1e6));
  expect(8, [&] { return unit(random); });
}

TEST(PayloadCodecTest, EveryNumberComesBack) {
  PayloadCodec codec;
  std::mt19937_64 random(4);
  for (const double number :
       {0.0, -0.0, 1.0, -1.0, 0.1, 1e-9, 2147483.647, -2147483.648, 2147483.648, 2.147483647,
        2.147483648, 4294.967296, 1e15, 1e300, 5e-324, std::numeric_limits<double>::max()}) {
    RoundTrip(codec, Filled(3, [=] { return number; }));
  }
  for (int i = 0; i < 20'000; ++i) {
    const auto any = std::bit_cast<double>(random());
    if (std::isfinite(any)) RoundTrip(codec, Filled(2, [=] { return any; }));
  }
  RoundTrip(codec, Filled(0, [] { return 0.0; }));
  // A decimal has no zero below zero.
  Example example = Filled(2, [] { return 0.1; });
  example.x[0] = -0.0;
  PayloadCodec fresh;
  RoundTrip(fresh, example);
}

// What a payload becomes does not tell of those before it, which may be deleted by now.
TEST(PayloadCodecTest, TheFormOfOneDoesNotDependOnThoseBefore) {
  PayloadCodec codec;
  for (int i = 0; i < 200; ++i) {
    RoundTrip(codec, Filled(10, [] { return 1 / 3.0; }));
    EXPECT_EQ(RoundTrip(codec, Filled(10, [] { return 0.123456; })), kHeader + 40);
  }
  // Also where the first numbers fit a shorter form than the rest.
  Example mixed = Filled(10, [] { return 0.5; });
  mixed.x[9] = 1 / 3.0;
  EXPECT_EQ(RoundTrip(codec, mixed), kHeader + 80);
}

TEST(PayloadCodecTest, KeepsThePlacesOfHashedFeatures) {
  PayloadCodec codec;
  Example example = Filled(3, [] { return 0.5; });
  example.at = {1, 77, 4'000'000'000};
  EXPECT_EQ(RoundTrip(codec, example), kHeader + 12 + 12);
}

TEST(PayloadCodecTest, DamageIsNoticed) {
  PayloadCodec codec;
  const std::string bytes(codec.Encode(Filled(4, [] { return 0.5; })));
  Example back;
  std::string other_form = bytes;
  other_form[4] = 9;
  EXPECT_FALSE(PayloadCodec::Decode(other_form, back));
  std::string other_count = bytes;
  other_count[3] = '\x7f';
  EXPECT_FALSE(PayloadCodec::Decode(other_count, back));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(PayloadCodec::Decode(bytes.substr(0, size), back)) << size;
  }
}

}  // namespace
}  // namespace lethe::payload_codec_test
