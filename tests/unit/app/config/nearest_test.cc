#include "app/config/nearest.h"

#include <vector>

#include <gtest/gtest.h>

namespace lethe::nearest_test {
namespace {

const std::vector<std::string> kCommands = {"run", "replay", "record", "check", "config"};

TEST(NearestTest, FarWordsGetNoSuggestion) {
  EXPECT_EQ(Nearest("", kCommands), std::nullopt);
  EXPECT_EQ(Nearest("banana", kCommands), std::nullopt);
  EXPECT_EQ(Nearest("xyz", kCommands), std::nullopt);
  EXPECT_EQ(Nearest(std::string(100'000, 'a'), kCommands), std::nullopt);
  EXPECT_EQ(Nearest("run", {}), std::nullopt);
}

TEST(NearestTest, ShortWordsWithNothingInCommonAreNotNear) {
  const std::vector<std::string> known = {"x", "of"};
  EXPECT_EQ(Nearest("y", known), std::nullopt);
  EXPECT_EQ(Nearest("lr", known), std::nullopt);
}

TEST(NearestTest, TypingErrorsAreFound) {
  EXPECT_EQ(Nearest("replya", kCommands), "replay");
  EXPECT_EQ(Nearest("rcord", kCommands), "record");
  EXPECT_EQ(Nearest("chekc", kCommands), "check");
  EXPECT_EQ(Nearest("runn", kCommands), "run");
}

TEST(NearestTest, CapitalsAndDashesDoNotCount) {
  const std::vector<std::string> known = {"feature_norm", "label_bound"};
  EXPECT_EQ(Nearest("Feature-Norm", known), "feature_norm");
}

TEST(NearestTest, TheBeginningOfAWordIsNear) {
  const std::vector<std::string> known = {"bias", "dimension"};
  EXPECT_EQ(Nearest("dim", known), "dimension");
  EXPECT_EQ(Nearest("di", known), std::nullopt);
}

TEST(NearestTest, TheNearestWinsAndThenTheFirst) {
  const std::vector<std::string> known = {"epsilom", "epsilon", "epsilos"};
  EXPECT_EQ(Nearest("epsilon", known), "epsilon");
  EXPECT_EQ(Nearest("epsiloq", known), "epsilom");
}

TEST(EditDistanceTest, CountsEveryKindOfEdit) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", "abxc"), 1u);
  EXPECT_EQ(EditDistance("abc", "ac"), 1u);
  EXPECT_EQ(EditDistance("abc", "axc"), 1u);
  EXPECT_EQ(EditDistance("abc", "acb"), 1u);
  EXPECT_EQ(EditDistance("ca", "abc"), 3u);  // 2 if letters could be edited twice
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace lethe::nearest_test
