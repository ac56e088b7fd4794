// How events lie in rows on disk.

#include "state/format/event_block.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "state/store/block_log.h"

namespace lethe::event_block_test {
namespace {

bool operator==(const LearnedEvent& a, const LearnedEvent& b) {
  return a.index == b.index && a.offset == b.offset && a.id == b.id && a.subject == b.subject;
}

std::vector<LearnedEvent> All(const EventBlock& rows) {
  std::vector<LearnedEvent> events;
  for (std::int64_t i = rows.first(); i < rows.end(); ++i) events.push_back(rows.At(i));
  return events;
}

void ExpectEqual(const std::vector<LearnedEvent>& a, const std::vector<LearnedEvent>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i] == b[i]) << i;
}

// Events at 100 to 149 with jumps between their offsets, some without a subject.
class EventBlockTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kFirst = 100;
  static constexpr std::int64_t kEnd = 150;

  EventBlock Rows(int percent_with_subject) {
    EventBlock rows(kFirst);
    std::int64_t offset = 7'000'000'000;
    for (std::int64_t i = kFirst; i < kEnd; ++i) {
      offset += dice_() % 3 == 0 ? static_cast<std::int64_t>(dice_() % 1000) : 1;
      LearnedEvent event{.index = {i}, .offset = {offset}, .id = Name(64), .subject = {}};
      if (static_cast<int>(dice_() % 100) < percent_with_subject) event.subject = Name(56);
      rows.Append(event);
    }
    return rows;
  }

  KeyHash Name(int bits) { return {(dice_() | 1) & (~std::uint64_t{0} >> (64 - bits)), 0}; }

  std::mt19937_64 dice_{5};
};

TEST_F(EventBlockTest, AreReadBackWhateverTheyHold) {
  for (const int percent : {0, 50, 100}) {
    const EventBlock rows = Rows(percent);
    EventBlock read;
    ASSERT_TRUE(EventBlock::Decode(rows.Encode(kFirst, kEnd), read));
    EXPECT_EQ(read.first(), kFirst);
    ExpectEqual(All(read), All(rows));
    for (std::int64_t i = kFirst; i < kEnd; ++i) {
      EXPECT_TRUE(EventBlock::DecodeOne(rows.Encode(kFirst, kEnd), i).value() == rows.At(i));
    }
    EXPECT_FALSE(EventBlock::DecodeOne(rows.Encode(kFirst, kEnd), kEnd).has_value());

    ASSERT_TRUE(EventBlock::Decode(rows.Encode(120, 130), read));
    EXPECT_EQ(read.first(), 120);
    const std::vector<LearnedEvent> all = All(rows);
    ExpectEqual(All(read), {all.begin() + 20, all.begin() + 30});
  }
}

TEST_F(EventBlockTest, OffsetsMayAlsoGoBack) {
  EventBlock rows(0);
  for (const std::int64_t offset : {5, 6, 0, 1, 900, 899, 900}) {
    rows.Append({.index = {rows.end()}, .offset = {offset}, .id = {1, 0}, .subject = {}});
  }
  EventBlock read;
  ASSERT_TRUE(EventBlock::Decode(rows.Encode(0, rows.end()), read));
  ExpectEqual(All(read), All(rows));
}

TEST_F(EventBlockTest, AnEventTakesFifteenBytes) {
  EventBlock rows(0);
  for (std::int64_t i = 0; i < 4096; ++i) {
    rows.Append({.index = {i}, .offset = {i + 3}, .id = Name(64), .subject = Name(56)});
  }
  EXPECT_LT(rows.Encode(0, 4096).size(), 4096u * 15 + 30);
}

TEST_F(EventBlockTest, DamageIsNoticed) {
  const std::string value = Rows(50).Encode(kFirst, kEnd);
  EventBlock read;
  for (std::size_t size = 0; size < value.size(); ++size) {
    EXPECT_FALSE(EventBlock::Decode(std::string_view(value).substr(0, size), read)) << size;
  }
  EXPECT_FALSE(EventBlock::Decode(value + "x", read));
  std::string too_many = value;
  too_many[9] = 51;
  EXPECT_FALSE(EventBlock::Decode(too_many, read));
  for (const char top : {'\x7f', '\xff'}) {
    std::string first = value;
    first[8] = top;
    EXPECT_FALSE(EventBlock::Decode(first, read));
    EXPECT_FALSE(EventBlock::DecodeOne(first, kFirst).has_value());
  }
}

TEST_F(EventBlockTest, ABlankOneHasNoNamesAndTheOthersStay) {
  EventBlock rows = Rows(100);
  std::vector<LearnedEvent> expected = All(rows);
  const LearnedEvent victim = expected[17];
  expected[17].id = {};
  expected[17].subject.reset();
  const auto blanked = Blanked(rows.Encode(kFirst, kEnd), {3, kFirst + 17, 400});
  ASSERT_TRUE(blanked.has_value());
  EventBlock read;
  ASSERT_TRUE(EventBlock::Decode(*blanked, read));
  ExpectEqual(All(read), expected);
  EXPECT_TRUE(EventBlock::IsBlank(read.At(kFirst + 17)));
  const auto bytes = [](const KeyHash& name, std::size_t size) {
    return std::string(reinterpret_cast<const char*>(&name.low), size);
  };
  EXPECT_EQ(blanked->find(bytes(victim.id, 8)), std::string::npos);
  EXPECT_EQ(blanked->find(bytes(*victim.subject, 7)), std::string::npos);
  EXPECT_FALSE(Blanked(*blanked, {kFirst + 17}).has_value());
  EXPECT_FALSE(Blanked(rows.Encode(kFirst, kEnd), {3, 400}).has_value());
}

}  // namespace
}  // namespace lethe::event_block_test
