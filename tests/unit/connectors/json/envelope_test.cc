#include "connectors/json/envelope.h"

#include <gtest/gtest.h>

#include "connectors/json/base64.h"

namespace lethe::envelope_test {
namespace {

SigningKey KnownKey() {
  SigningKey::Seed seed;
  for (std::size_t i = 0; i < seed.size(); ++i) seed[i] = static_cast<std::uint8_t>(i);
  return SigningKey(seed);
}

// Computed with PyNaCl from the text of the DSSE specification.
TEST(EnvelopeTest, TheBytesAreThoseOfAnotherImplementation) {
  EXPECT_EQ(
      WriteEnvelope(R"({"format":"lethe.receipt/1"})", KnownKey()),
      R"({"payload":"eyJmb3JtYXQiOiJsZXRoZS5yZWNlaXB0LzEifQ==","payloadType":"application/vnd.lethe+json","signatures":[{"keyid":"56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c","sig":"Z49zFHJKf7e5q1+1ao5abLyCyLmxHBLRTiajnwhHRNsraPQ0osr0OdtKy3JP7WMXt78SqmcP1V2DgAdDzw4eDg=="}]})");
}

TEST(EnvelopeTest, LengthsAreSignedWithTheContent) {
  EXPECT_EQ(PreAuthEncoding("ab c"), "DSSEv1 26 application/vnd.lethe+json 4 ab c");
}

TEST(EnvelopeTest, AnEnvelopeGivesBackTheExactBytes) {
  const std::string payload = std::string("{\"a\" : 1}\n\0\xff", 12);
  const SigningKey key = SigningKey::Generate();
  const auto read = ReadEnvelope(WriteEnvelope(payload, key));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().payload, payload);
  EXPECT_EQ(read.value().key_id, key.public_key().Id());
  EXPECT_TRUE(read.value().IsSignedBy(key.public_key()));
  EXPECT_FALSE(read.value().IsSignedBy(SigningKey::Generate().public_key()));
}

TEST(EnvelopeTest, EveryFlippedBitOfPayloadAndSignatureIsNoticed) {
  const SigningKey key = KnownKey();
  const Envelope good = ReadEnvelope(WriteEnvelope("{\"shard\":0}", key)).value();
  for (std::size_t bit = 0; bit < 8 * good.payload.size(); ++bit) {
    Envelope bad = good;
    bad.payload[bit / 8] = static_cast<char>(bad.payload[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(bad.IsSignedBy(key.public_key())) << bit;
  }
  for (std::size_t bit = 0; bit < 8 * good.signature.size(); ++bit) {
    Envelope bad = good;
    bad.signature[bit / 8] = static_cast<char>(bad.signature[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(bad.IsSignedBy(key.public_key())) << bit;
  }
}

TEST(EnvelopeTest, WhatIsNoEnvelopeIsRefused) {
  const std::string good = WriteEnvelope("{}", KnownKey());
  for (const std::string& bad :
       {std::string(), std::string("{}"), std::string("[]"), std::string("{\"payloadType\":1}"),
        good.substr(0, good.size() - 1), good + "x",
        std::string(R"({"payload":"e30=","payloadType":"text/plain","signatures":[]})"),
        std::string(R"({"payload":"e30","payloadType":"application/vnd.lethe+json",)"
                    R"("signatures":[{"keyid":"a","sig":"AA=="}]})"),
        std::string(R"({"payload":"e30=","payloadType":"application/vnd.lethe+json",)"
                    R"("signatures":[]})")}) {
    EXPECT_FALSE(ReadEnvelope(bad).ok()) << bad;
  }
}

// One reader takes the first of two members of one name, another the last.
TEST(EnvelopeTest, AnEnvelopeWithTwoPayloadsIsRefused) {
  const std::string good = WriteEnvelope("{}", KnownKey());
  ASSERT_TRUE(ReadEnvelope(good).ok());
  const std::string other = R"("payload":"W10=")";
  EXPECT_FALSE(ReadEnvelope("{" + other + "," + good.substr(1)).ok());
  EXPECT_FALSE(ReadEnvelope(good.substr(0, good.size() - 1) + "," + other + "}").ok());
}

TEST(EnvelopeTest, BareTextStaysAsItIs) {
  const std::string receipt = R"({"format":"lethe.receipt/1","request":"\"payloadType\""})";
  EXPECT_EQ(WithoutEnvelope(receipt), receipt);
  EXPECT_EQ(WithoutEnvelope(WriteEnvelope(receipt, KnownKey())), receipt);
}

TEST(EnvelopeTest, APublicKeyIsOneTextOnly) {
  const PublicKey key = KnownKey().public_key();
  EXPECT_EQ(PublicKey::FromText(key.ToText()), key);
  EXPECT_FALSE(PublicKey::FromText(key.ToText() + "\n"));
  EXPECT_FALSE(PublicKey::FromText(ToBase64("short")));
  EXPECT_FALSE(PublicKey::FromText(""));
}

}  // namespace
}  // namespace lethe::envelope_test
