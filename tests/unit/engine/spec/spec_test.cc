// The certificate part of a configuration, whose hash stands in every receipt.

#include "engine/spec/spec.h"

#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "engine/spec/spec_difference.h"
#include "tests/support/passive_spec.h"

namespace lethe::spec_test {
namespace {

using Change = std::function<void(Spec&)>;

ScaleSpec Scale(const std::string& sha256, bool is_public) {
  return {.file = "scale.json",
          .sha256 = sha256,
          .is_public = is_public,
          .names = {},
          .mean = {1},
          .deviation = {1}};
}

// Every key that a certificate depends on, by the name that the configuration file has for it.
const std::map<std::string, Change> kCertificateKeys = {
    {"model.loss", [](Spec& s) { s.model.loss = LossKind::kHuber; }},
    {"model.dimension", [](Spec& s) { s.model.dimension = 8; }},
    {"model.hash_bits", [](Spec& s) { s.model.hash_bits = 18; }},
    {"model.bias", [](Spec& s) { s.model.bias = true; }},
    {"model.feature_norm", [](Spec& s) { s.model.feature_norm = 1.0000000000000002; }},
    {"model.oversized", [](Spec& s) { s.model.oversized = Oversized::kRescale; }},
    {"model.label_bound", [](Spec& s) { s.model.label_bound = 2; }},
    {"model.huber_width", [](Spec& s) { s.model.huber_width = 2; }},
    {"model.lambda", [](Spec& s) { s.model.lambda = 0.02; }},
    {"model.radius", [](Spec& s) { s.model.radius = 13; }},
    {"features.text words", [](Spec& s) { s.features.text = TextFeatures::kWords; }},
    {"features.text ngrams", [](Spec& s) { s.features.text = TextFeatures::kNgrams; }},
    {"features.scale", [](Spec& s) { s.features.scale = Scale("ab", false); }},
    {"features.scale, another file", [](Spec& s) { s.features.scale = Scale("cd", false); }},
    {"features.scale, public", [](Spec& s) { s.features.scale = Scale("ab", true); }},
    {"features.cross",
     [](Spec& s) {
       s.features.cross = {{"a", "b"}};
     }},
    {"features.cross, another pair",
     [](Spec& s) {
       s.features.cross = {{"a", "c"}};
     }},
    {"features.clip", [](Spec& s) { s.features.clip = 3; }},
    {"features.normalise", [](Spec& s) { s.features.normalise = NormaliseKind::kL2; }},
    {"features.fourier.dimension", [](Spec& s) { s.features.fourier.dimension = 8; }},
    {"features.fourier.gamma",
     [](Spec& s) {
       s.features.fourier.dimension = 8;
       s.features.fourier.gamma = 0.5;
     }},
    {"features.fourier.seed",
     [](Spec& s) {
       s.features.fourier.dimension = 8;
       s.features.fourier.seed = 7;
     }},
    {"learning.schedule", [](Spec& s) { s.learning.schedule = ScheduleKind::kInverseTime; }},
    {"learning.eta", [](Spec& s) { s.learning.eta = 0.5; }},
    {"learning.horizon.events", [](Spec& s) { s.learning.horizon.events = 7; }},
    {"learning.horizon.deletions", [](Spec& s) { s.learning.horizon.deletions = 7; }},
    {"learning.tuned_on", [](Spec& s) { s.learning.tuned_on = TunedOn::kPrivate; }},
    {"forgetting.mode", [](Spec& s) { s.forgetting.mode = "none"; }},
    {"forgetting.guarantee", [](Spec& s) { s.forgetting.guarantee = Guarantee::kPerRequest; }},
    {"forgetting.budget.epsilon", [](Spec& s) { s.forgetting.budget.epsilon = 2; }},
    {"forgetting.budget.delta", [](Spec& s) { s.forgetting.budget.delta = 1e-7; }},
    {"forgetting.budget.mu", [](Spec& s) { s.forgetting.budget.mu = 0.3; }},
    {"forgetting.budget.rho", [](Spec& s) { s.forgetting.budget.rho = 0.3; }},
    {"forgetting.split", [](Spec& s) { s.forgetting.split = Split::kZeta; }},
    {"forgetting.calibration", [](Spec& s) { s.forgetting.calibration = Calibration::kPaper; }},
    {"forgetting.batch_window.events", [](Spec& s) { s.forgetting.batch_window.events = 1; }},
    {"forgetting.batch_window.time", [](Spec& s) { s.forgetting.batch_window.event_time_ms = 1; }},
    {"forgetting.deadline.events", [](Spec& s) { s.forgetting.deadline.events = 1; }},
    {"forgetting.deadline.time", [](Spec& s) { s.forgetting.deadline.event_time_ms = 1; }},
    {"forgetting.target_sigma", [](Spec& s) { s.forgetting.target_sigma = 0.1; }},
    {"forgetting.active.variant",
     [](Spec& s) { s.forgetting.active.variant = ActiveVariant::kLedger; }},
    {"forgetting.active.tolerance", [](Spec& s) { s.forgetting.active.tolerance = 1e-9; }},
    {"forgetting.active.steps", [](Spec& s) { s.forgetting.active.steps = 3; }},
    {"forgetting.active.window", [](Spec& s) { s.forgetting.active.window = 3; }},
    {"forgetting.erm.warmup",
     [](Spec& s) {
       s.forgetting.mode = "d2d_strong";
       s.forgetting.erm.warmup = 7;
     }},
    {"forgetting.erm.refit_every",
     [](Spec& s) {
       s.forgetting.mode = "d2d_strong";
       s.forgetting.erm.refit_every = 7;
     }},
    {"forgetting.erm.steps",
     [](Spec& s) {
       s.forgetting.mode = "d2d_strong";
       s.forgetting.erm.steps = 7;
     }},
    {"forgetting.variant",
     [](Spec& s) {
       s.forgetting.mode = "certified_removal";
       s.forgetting.variant = RemovalVariant::kPaper;
     }},
    {"forgetting.removal.solver",
     [](Spec& s) {
       s.forgetting.mode = "certified_removal";
       s.forgetting.removal.solver = RemovalSolver::kChord;
     }},
    {"forgetting.removal.perturbation",
     [](Spec& s) {
       s.forgetting.mode = "certified_removal";
       s.forgetting.removal.perturbation = 7;
     }},
    {"forgetting.noisy.mu",
     [](Spec& s) {
       s.forgetting.mode = "noisy";
       s.forgetting.noisy.mu = 7;
     }},
    {"forgetting.noisy.requests",
     [](Spec& s) {
       s.forgetting.mode = "noisy";
       s.forgetting.noisy.requests = Requests::kAdaptive;
     }},
    {"forgetting.online_dp.deletions",
     [](Spec& s) {
       s.forgetting.mode = "online_dp";
       s.forgetting.online_dp.deletions = 7;
     }},
    {"forgetting.online_dp.events",
     [](Spec& s) {
       s.forgetting.mode = "online_dp";
       s.forgetting.online_dp.events = 7;
     }},
    {"forgetting.fats.client",
     [](Spec& s) {
       s.forgetting.mode = "fats";
       s.forgetting.fats.client = FatsClient::kIndex;
     }},
    {"forgetting.fats.clients",
     [](Spec& s) {
       s.forgetting.mode = "fats";
       s.forgetting.fats.clients = 7;
     }},
    {"forgetting.fats.draws",
     [](Spec& s) {
       s.forgetting.mode = "fats";
       s.forgetting.fats.draws = 7;
     }},
    {"forgetting.fats.local_steps",
     [](Spec& s) {
       s.forgetting.mode = "fats";
       s.forgetting.fats.local_steps = 7;
     }},
    {"forgetting.fats.batch",
     [](Spec& s) {
       s.forgetting.mode = "fats";
       s.forgetting.fats.batch = 7;
     }},
    {"forgetting.fats.round_every",
     [](Spec& s) {
       s.forgetting.mode = "fats";
       s.forgetting.fats.round_every = 7;
     }},
    {"noise.source", [](Spec& s) { s.noise.source = NoiseKind::kDisabled; }},
};

Spec Base() {
  Spec spec = PassiveSpec();
  spec.model.dimension = 6;
  return spec;
}

TEST(CertificatePartTest, EveryCertificateKeyChangesItAndNoTwoAlike) {
  std::map<std::string, std::string> seen = {{CertificatePart(Base()), "the base"}};
  for (const auto& [key, change] : kCertificateKeys) {
    Spec spec = Base();
    change(spec);
    const auto [other, is_new] = seen.emplace(CertificatePart(spec), key);
    EXPECT_TRUE(is_new) << key << " gives the same as " << other->second;
  }
}

// A secret that must not stand in a receipt, and what no certificate depends on.
TEST(CertificatePartTest, SeedAndRunningDetailsDoNotChangeIt) {
  Spec spec = Base();
  spec.noise.source = NoiseKind::kSeeded;
  const std::string before = CertificatePart(spec);
  spec.noise.seed = 424242;
  spec.refuse_late_for_ms = 1;
  spec.topic = "another";
  EXPECT_EQ(CertificatePart(spec), before);
  EXPECT_EQ(before.find("seed\""), std::string::npos);
}

TEST(CertificatePartTest, DimensionDoesNotMatterWhenFeaturesAreHashed) {
  Spec a = Base(), b = Base();
  a.model.hash_bits = b.model.hash_bits = 18;
  b.model.dimension = 0;
  EXPECT_EQ(CertificatePart(a), CertificatePart(b));
}

// The path of the scale file says nothing, its content does.
TEST(CertificatePartTest, WhereTheScaleFileIsDoesNotMatter) {
  Spec a = Base(), b = Base();
  a.features.scale = b.features.scale = Scale("ab", true);
  b.features.scale.file = "elsewhere/scale.json";
  EXPECT_EQ(CertificatePart(a), CertificatePart(b));
}

TEST(SpecDifferenceTest, NamesWhatIsDifferentInListsAndTexts) {
  Spec a = Base(), b = Base();
  a.model.loss = b.model.loss = LossKind::kSoftmax;
  a.model.classes = b.model.classes = 2;
  a.model.class_names = {"a,b", "}\"\\"};
  b.model.class_names = {"a,b", "}"};
  a.features.cross = {{"a", "b"}, {"c", "d"}};
  b.features.cross = {{"a", "b"}};
  b.features.clip = 3;
  EXPECT_EQ(SpecDifference(CertificatePart(a), CertificatePart(b)),
            "  features.cross: [[\"a\",\"b\"],[\"c\",\"d\"]] in the state, [[\"a\",\"b\"]] in the "
            "configuration\n"
            "  model.classes: [\"a,b\",\"}\\\"\\\\\"] in the state, [\"a,b\",\"}\"] in the "
            "configuration\n"
            "  features.clip: absent in the state, 3 in the configuration\n");
  EXPECT_EQ(SpecDifference(CertificatePart(a), CertificatePart(a)), "");
}

// Receipts of earlier runs are compared with these bytes: a change here is a change of format.
TEST(CertificatePartTest, BytesAreThoseOfTheFormat) {
  EXPECT_EQ(
      CertificatePart(Base()),
      R"({"model":{"loss":"logistic","dimension":6,"bias":false,"feature_norm":1,)"
      R"("oversized":"reject","label_bound":1,"huber_width":1,"lambda":0.01,"radius":12},)"
      R"("learning":{"schedule":"constant","eta":"auto",)"
      R"("horizon":{"events":100000,"deletions":100}},)"
      R"("forgetting":{"mode":"passive","guarantee":"joint",)"
      R"("budget":{"epsilon":1,"delta":1e-06},"split":"curve","calibration":"ledger",)"
      R"("batch_window":{"events":0,"event_time_ms":0},)"
      R"("deadline":{"events":0,"event_time_ms":0},"target_sigma":0,)"
      R"("active":{"variant":"second_order","tolerance":1e-10,"steps":"auto","window":"all"}},)"
      R"("noise":{"source":"system"}})");
}

}  // namespace
}  // namespace lethe::spec_test
