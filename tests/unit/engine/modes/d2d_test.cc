// What the modes d2d_* refuse, and what their receipts say.
#include <gtest/gtest.h>

#include "engine/plan.h"
#include "engine/shard/receipt_text.h"
#include "tests/support/passive_spec.h"

namespace lethe::d2d_test {
namespace {

Spec D2d(const char* mode, Calibration calibration) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 20;
  spec.forgetting.mode = mode;
  spec.forgetting.calibration = calibration;
  return spec;
}

std::string Refusal(const Spec& spec) {
  const auto plan = Plan::Make(spec);
  return plan.ok() ? "accepted" : plan.status().message();
}

bool Certifies(const Spec& spec) { return Plan::Make(spec).value().WhyNotCertified().empty(); }

TEST(ModesD2d, EachCalibrationBelongsToSomeModes) {
  EXPECT_EQ(Refusal(D2d("d2d_strong", Calibration::kLedger)), "accepted");
  EXPECT_EQ(Refusal(D2d("d2d_strong", Calibration::kRecursion)), "accepted");
  EXPECT_EQ(Refusal(D2d("d2d_strong", Calibration::kPaper)), "accepted");
  EXPECT_EQ(Refusal(D2d("d2d_perfect", Calibration::kLedger)), "accepted");
  EXPECT_NE(Refusal(D2d("d2d_perfect", Calibration::kRecursion)).find("d2d_strong"),
            std::string::npos);
  EXPECT_NE(Refusal(D2d("d2d_distributed", Calibration::kLedger)).find("recursion"),
            std::string::npos);
  EXPECT_NE(Refusal(D2d("passive", Calibration::kRecursion)).find("d2d_"), std::string::npos);
}

TEST(ModesD2d, OnlyTheLedgerCertifies) {
  EXPECT_TRUE(Certifies(D2d("d2d_strong", Calibration::kLedger)));
  EXPECT_TRUE(Certifies(D2d("d2d_perfect", Calibration::kLedger)));
  EXPECT_FALSE(Certifies(D2d("d2d_strong", Calibration::kRecursion)));
  EXPECT_FALSE(Certifies(D2d("d2d_strong", Calibration::kPaper)));
  EXPECT_FALSE(Certifies(D2d("d2d_perfect", Calibration::kPaper)));
  EXPECT_FALSE(Certifies(D2d("d2d_distributed", Calibration::kRecursion)));
  EXPECT_FALSE(Certifies(D2d("d2d_distributed", Calibration::kPaper)));
}

TEST(ModesD2d, ThePapersPerfectNeedsEnoughSteps) {
  Spec spec = D2d("d2d_perfect", Calibration::kPaper);
  spec.model.radius = 10;
  spec.forgetting.erm.steps = 98;
  EXPECT_EQ(Refusal(spec), "accepted");
  spec.forgetting.erm.steps = 97;
  EXPECT_NE(Refusal(spec).find("at least 98 steps"), std::string::npos) << Refusal(spec);
}

TEST(ModesD2d, ARegulariserOfOnesOwnIsRefusedBesideALargerOne) {
  Spec spec = D2d("d2d_regularised", Calibration::kLedger);
  spec.model.lambda = 1e-6;
  EXPECT_EQ(Refusal(spec), "accepted");
  spec.model.lambda = 0.1;
  EXPECT_NE(Refusal(spec).find("use d2d_strong"), std::string::npos);
}

TEST(ModesD2d, SchedulesSplitsAndHugeModelsAreRefused) {
  Spec spec = D2d("d2d_strong", Calibration::kLedger);
  spec.learning.schedule = ScheduleKind::kAdaptive;
  EXPECT_NE(Refusal(spec).find("learning.schedule"), std::string::npos);
  spec = D2d("d2d_perfect", Calibration::kLedger);
  spec.forgetting.split = Split::kZeta;
  EXPECT_NE(Refusal(spec).find("forgetting.split"), std::string::npos);
  spec = D2d("d2d_strong", Calibration::kLedger);
  spec.model.dimension = 100000;
  EXPECT_NE(Refusal(spec).find("d2d_perfect"), std::string::npos);
}

TEST(ModesD2d, ReceiptsNameTheSecretState) {
  EXPECT_FALSE(FindMode("d2d_perfect")->keeps_secret);
  for (const char* mode : {"d2d_strong", "d2d_regularised", "d2d_distributed"}) {
    EXPECT_TRUE(FindMode(mode)->keeps_secret) << mode;
  }
  EXPECT_EQ(NotCovered({}, true).size(), NotCovered({}, false).size() + 1);
  EXPECT_NE(NotCovered({}, true).back().find("secret_state: yes"), std::string::npos);
}

// Settings that were chosen on data that may be deleted tell of it, and the receipt says so.
TEST(ReceiptText, NamesSettingsThatWereChosenOnPrivateData) {
  const auto lines = [](TunedOn rows) {
    Spec spec;
    spec.learning.tuned_on = rows;
    return NotCovered(spec, false);
  };
  EXPECT_EQ(lines(TunedOn::kNone), NotCovered({}, false));
  EXPECT_EQ(lines(TunedOn::kPublic), NotCovered({}, false));
  ASSERT_EQ(lines(TunedOn::kPrivate).size(), NotCovered({}, false).size() + 1);
  EXPECT_NE(lines(TunedOn::kPrivate).back().find("learning.tuned_on: private"), std::string::npos);
}

TEST(ReceiptText, NamesAScaleThatWasMadeFromPrivateData) {
  const auto lines = [](bool is_public) {
    Spec spec;
    spec.features.scale = {.file = "scale.json",
                           .sha256 = "",
                           .is_public = is_public,
                           .names = {},
                           .mean = {0},
                           .deviation = {1}};
    return NotCovered(spec, false);
  };
  EXPECT_EQ(lines(true), NotCovered({}, false));
  ASSERT_EQ(lines(false).size(), NotCovered({}, false).size() + 1);
  EXPECT_NE(lines(false).back().find("features.scale"), std::string::npos);
}

}  // namespace
}  // namespace lethe::d2d_test
