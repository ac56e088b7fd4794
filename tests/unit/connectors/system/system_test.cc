// Hashes, randomness and clocks, against published vectors and an independent implementation.

#include <array>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sodium.h>

#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "connectors/system/system_clock.h"

namespace lethe::system_test {
namespace {

using Purpose = Stream::Purpose;

std::string Hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

std::string Draw(RandomSource& random, const Stream& stream, std::size_t size = 16) {
  std::vector<std::uint8_t> bytes(size);
  random.Fill(stream, bytes);
  return Hex(bytes);
}

std::string Seeded(std::uint64_t seed, const Stream& stream, std::size_t size = 16) {
  SeededRandom random(seed);
  return Draw(random, stream, size);
}

TEST(SodiumHasherTest, Sha256MatchesTheVectorsOfFips180) {
  const SodiumHasher hasher;
  EXPECT_EQ(Hex(hasher.Sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hex(hasher.Sha256({})),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Hex(hasher.Sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// vectors_sip128 of the reference implementation: key 00 01 .. 0f, messages 00 01 ..
TEST(SodiumHasherTest, KeyedMatchesTheVectorsOfSipHash128) {
  const SodiumHasher hasher;
  HashKey key;
  std::iota(key.begin(), key.end(), std::uint8_t{0});
  std::string message;
  for (int i = 0; i < 15; ++i) message += static_cast<char>(i);
  EXPECT_EQ(hasher.Keyed(key, {}), (KeyHash{0xe6a825ba047f81a3, 0x930255c71472f66d}));
  EXPECT_EQ(hasher.Keyed(key, message.substr(0, 1)),
            (KeyHash{0x44af996bd8c187da, 0x45fc229b11597634}));
  EXPECT_EQ(hasher.Keyed(key, message), (KeyHash{0x11a8b03399e99354, 0xd9c3cf970fec087e}));
}

// Ours against libsodium's.
TEST(SodiumHasherTest, KeyedLowIsHalfOfKeyed) {
  const SodiumHasher hasher;
  std::mt19937_64 random(5);
  for (std::size_t size = 0; size < 300; ++size) {
    HashKey key;
    for (std::uint8_t& byte : key) byte = static_cast<std::uint8_t>(random());
    std::string text(size, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    const char tag = static_cast<char>(random());
    EXPECT_EQ(hasher.KeyedLow(key, tag, text), hasher.Keyed(key, tag + text).low) << size;
  }
}

TEST(SodiumHasherTest, KeyedDependsOnTheKeyAndOnEveryByte) {
  const SodiumHasher hasher;
  const HashKey zero = {};
  std::set<KeyHash> seen = {hasher.Keyed(zero, "user-7"), hasher.Keyed(zero, "user-8"),
                            hasher.Keyed(zero, "user-7 "),
                            hasher.Keyed(zero, std::string_view("user-7\0", 7))};
  HashKey other = {};
  other[15] = 1;
  seen.insert(hasher.Keyed(other, "user-7"));
  EXPECT_EQ(seen.size(), 5u);
}

// The first block of the key stream for a key and a nonce of zeros (RFC 8439, A.1, vector 1; the
// nonce's length makes no difference there).
TEST(SeededRandomTest, TheStreamCipherMatchesItsPublishedVector) {
  const std::array<std::uint8_t, crypto_stream_chacha20_KEYBYTES> key = {};
  const std::array<std::uint8_t, crypto_stream_chacha20_NONCEBYTES> nonce = {};
  std::array<std::uint8_t, 64> bytes;
  ASSERT_EQ(crypto_stream_chacha20(bytes.data(), bytes.size(), nonce.data(), key.data()), 0);
  EXPECT_EQ(Hex(bytes),
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
            "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586");
}

// Computed in Python, from hashlib.blake2b and ChaCha20 written out after RFC 8439.
TEST(SeededRandomTest, TheBytesAreThoseOfTheDocumentedConstruction) {
  EXPECT_EQ(Seeded(1, {Purpose::kNoise, ShardId{0}, 0}, 80),
            "c0d90cc8306c418a8437c804cd09d8e53637d85c7895b0816ce3c301390762ae"
            "95c54af697fe2a89ee89977ea0f702117b3a3b4865124af0ae84f941fbd6e1d9"
            "bd3729adf0c3ba430c428e366850ac43");
  EXPECT_EQ(Seeded(0x0123456789abcdef, {Purpose::kKey, ShardId{7}, 0xfedcba9876543210}),
            "706e8ef4cb6ccc6de3b21aca312b14f5");
}

TEST(SeededRandomTest, EveryPartOfTheStreamMakesAnotherOne) {
  std::set<std::string> seen;
  std::size_t count = 0;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63}) {
    for (const Purpose purpose :
         {Purpose::kNoise, Purpose::kUuid, Purpose::kKey, Purpose::kStateId}) {
      for (const std::int64_t shard : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 31}) {
        for (const std::uint64_t number :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{256}, ~std::uint64_t{0}}) {
          seen.insert(Seeded(seed, {purpose, ShardId{shard}, number}));
          ++count;
        }
      }
    }
  }
  EXPECT_EQ(count, 144u);
  EXPECT_EQ(seen.size(), count);
}

TEST(SeededRandomTest, AStreamIsTheSameHoweverItIsDrawn) {
  SeededRandom random(7);
  const Stream stream = {Purpose::kNoise, ShardId{3}, 5};
  const std::string first = Draw(random, stream, 1000);
  Draw(random, {Purpose::kNoise, ShardId{3}, 6});
  EXPECT_EQ(Draw(random, stream, 1000), first);
  EXPECT_EQ(Seeded(7, stream, 1000), first);
  EXPECT_EQ(Seeded(7, stream, 10), first.substr(0, 20));
  EXPECT_EQ(Seeded(7, stream, 0), "");
}

TEST(SystemRandomTest, NoTwoDrawsAreTheSameEvenOfOneStream) {
  SystemRandom random;
  const Stream stream = {Purpose::kNoise, ShardId{0}, 0};
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(Draw(random, stream));
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(SystemRandomTest, AllBytesAreFilled) {
  SystemRandom random;
  random.Fill({Purpose::kUuid, ShardId{0}, 0}, {});
  std::array<bool, 64> changed = {};
  for (int i = 0; i < 50; ++i) {
    std::array<std::uint8_t, 64> bytes = {};
    random.Fill({Purpose::kUuid, ShardId{0}, 0}, bytes);
    for (std::size_t j = 0; j < bytes.size(); ++j) changed[j] = changed[j] || bytes[j] != 0;
  }
  for (const bool byte : changed) EXPECT_TRUE(byte);
}

TEST(SystemClockTest, TheClocksGoForwardInTheirUnits) {
  SystemClock clock;
  const std::int64_t year_2020_ms = 1'577'836'800'000;
  const std::int64_t year_2200_ms = 7'258'118'400'000;
  EXPECT_GT(clock.NowMs(), year_2020_ms);
  EXPECT_LT(clock.NowMs(), year_2200_ms);
  const std::int64_t start_ns = clock.MonotonicNs();
  const std::int64_t start_ms = clock.NowMs();
  while (clock.MonotonicNs() < start_ns + 20'000'000) {
  }
  EXPECT_GE(clock.NowMs() - start_ms, 10);
}

}  // namespace
}  // namespace lethe::system_test
