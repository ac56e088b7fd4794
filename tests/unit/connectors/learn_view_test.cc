// The fast way of a learn, binary or JSON, and its slow twin: whatever the fast one takes, the slow
// one takes too, and what reaches the learner is the same, bit for bit.

#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/json/event_codec.h"
#include "connectors/system/sodium_hash.h"
#include "engine/admission/admission.h"
#include "tests/support/binary_messages.h"

namespace lethe::learn_view_test {
namespace {

using testing::BinaryMessageTest;
using testing::Key;
using testing::kInfinity;
using testing::kNaN;
using testing::Learn;
using testing::Shapes;

ModelSpec Model(bool bias) {
  ModelSpec model;
  model.dimension = 3;
  model.feature_norm = 1;
  model.bias = bias;
  return model;
}

class LearnViewTest : public BinaryMessageTest {
 protected:
  // What each way admits; none if it does not.
  std::optional<AdmittedLearn> Fast(const Admission& admission, std::string_view message, Key key) {
    LearnView learn;
    AdmittedLearn admitted;
    admitted.subject.emplace();  // left over from another event
    if (!codec_.ReadLearnView(message, key, learn) || !admission.AdmitView(learn, admitted))
      return {};
    return admitted;
  }
  template <typename Codec>
  static std::optional<AdmittedLearn> Decoded(Codec& codec, const Admission& admission,
                                              std::string_view bytes, Key key) {
    Record record;
    if (codec.DecodeValue(bytes, key, record.event)) return {};
    if (record.event.kind != EventKind::kLearn || !record.event.id) return {};
    AdmittedLearn admitted;
    if (admission.Admit(record.event, record.offset, admitted)) return {};
    return admitted;
  }
  std::optional<AdmittedLearn> Slow(const Admission& admission, std::string_view message, Key key) {
    return Decoded(codec_, admission, message, key);
  }
  void ExpectSame(const AdmittedLearn& fast, const AdmittedLearn& slow) {
    EXPECT_EQ(fast.id, slow.id);
    EXPECT_EQ(fast.subject, slow.subject);
    EXPECT_EQ(fast.example.y, slow.example.y);
    EXPECT_EQ(fast.example.w, slow.example.w);
    EXPECT_EQ(fast.example.at, slow.example.at);
    ASSERT_EQ(fast.example.x.size(), slow.example.x.size());
    EXPECT_EQ(std::memcmp(fast.example.x.data(), slow.example.x.data(),
                          static_cast<std::size_t>(slow.example.x.size()) * sizeof(double)),
              0);
  }

  SodiumHasher hasher_;
  Pseudonymizer pseudonymizer_{hasher_, ShardIdentity()};
  Admission admission_{Model(false), pseudonymizer_, "events", {0}};
};

TEST_F(LearnViewTest, TheUsualLearnIsTakenInEveryForm) {
  const Admission with_bias(Model(true), pseudonymizer_, "events", {0});
  Event event = Learn("e-81", {0.5, -0.25, 0.125}, 1);
  for (const bool has_subject : {false, true}) {
    if (has_subject) event.subject = "user-7";
    for (const NumberWidth width : {NumberWidth::kFloat32, NumberWidth::kFloat64}) {
      for (const Key key : {Key(), Key("the key"), Key("\xff")}) {
        for (const Admission* admission : {&std::as_const(admission_), &with_bias}) {
          // At every alignment.
          for (std::size_t shift = 0; shift < 8; ++shift) {
            const std::string bytes = std::string(shift, 'x') + Encode(event, width);
            const std::string_view message = std::string_view(bytes).substr(shift);
            const auto fast = Fast(*admission, message, key);
            const auto slow = Slow(*admission, message, key);
            ASSERT_TRUE(fast && slow);
            ExpectSame(*fast, *slow);
          }
        }
      }
    }
  }
}

TEST_F(LearnViewTest, EverythingElseIsLeftToTheOther) {
  std::vector<Event> others = {Learn({}, {0.5, 0, 0}, 1),          // without an id
                               Learn("\xc3\xa9", {0.5, 0, 0}, 1),  // not ASCII
                               Learn("e", {0.5, 0}, 1),            // of another dimension
                               Learn("e", {0.8, 0.8, 0.8}, 1),     // too long
                               Learn("e", {0.5, 0, 0}, 0.5)};      // a label that is none
  for (Event& shape : Shapes()) {
    if (shape.kind != EventKind::kLearn || !shape.named.empty()) others.push_back(shape);
  }
  for (const Event& event : others) EXPECT_FALSE(Fast(admission_, Encode(event), {}));
  const std::string message = Encode(Learn("e", {0.5, 0, 0}, 1));
  EXPECT_TRUE(Fast(admission_, message, {}));
  EXPECT_FALSE(Fast(admission_, message, ""));
  EXPECT_FALSE(Fast(admission_, message, std::string(1025, 'k')));
  EXPECT_FALSE(Fast(admission_, message + "x", {}));
  for (std::size_t size = 0; size < message.size(); ++size) {
    EXPECT_FALSE(Fast(admission_, message.substr(0, size), {})) << size;
  }
}

ModelSpec Classes() {
  ModelSpec model = Model(false);
  model.loss = LossKind::kSoftmax;
  model.classes = 3;
  model.class_names = {"dog", "cat", "7"};
  model.weight_bound = 4;
  return model;
}

TEST_F(LearnViewTest, NamesOfClassesAndWeightsAreTakenAndBadOnesLeftToTheOther) {
  const Admission admission(Classes(), pseudonymizer_, "events", {0});
  struct Case {
    std::optional<std::string> label;
    double y, w;
    bool is_taken;
  };
  for (const NumberWidth width : {NumberWidth::kFloat32, NumberWidth::kFloat64}) {
    for (const auto& [label, y, w, is_taken] :
         {Case{"cat", 0, 1, true}, Case{"cat", 0, 2.5, true}, Case{"dog", 0, 0, true},
          Case{"", 7, 4, true}, Case{"bird", 0, 1, false}, Case{"", 8, 1, false},
          Case{"cat", 0, -1, false}, Case{"cat", 0, 4.5, false}}) {
      Event event = Learn("e", {0.5, 0, 0}, y);
      if (!label->empty()) event.label = label;
      event.w = w;
      const auto fast = Fast(admission, Encode(event, width), {});
      const auto slow = Slow(admission, Encode(event, width), {});
      ASSERT_EQ(fast.has_value(), is_taken) << *label << w;
      ASSERT_EQ(slow.has_value(), is_taken) << *label << w;
      if (is_taken) ExpectSame(*fast, *slow);
    }
  }
}

TEST_F(LearnViewTest, NumbersThatAreNotFiniteAreLeftToTheOther) {
  for (const double bad : {kInfinity, -kInfinity, kNaN}) {
    for (std::size_t at = 0; at < 4; ++at) {
      std::string message = Encode(Learn("e", {0.5, 0, 0}, 1));
      // The last 24 bytes are x; before the byte that counts them are the 8 of y.
      const std::size_t place = at < 3 ? message.size() - 24 + 8 * at : message.size() - 33;
      std::memcpy(message.data() + place, &bad, sizeof bad);
      EXPECT_FALSE(Fast(admission_, message, {})) << at;
      EXPECT_FALSE(Slow(admission_, message, {})) << at;
    }
  }
}

TEST_F(LearnViewTest, DamagedMessagesAreTakenByBothOrByNone) {
  std::mt19937_64 random(7);
  Event event = Learn("e-81", {0.5, -0.25, 0.125}, 1);
  event.subject = "user-7";
  int taken = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string message =
        Encode(event, round % 2 == 0 ? NumberWidth::kFloat32 : NumberWidth::kFloat64);
    for (std::uint64_t flips = random() % 3; flips > 0; --flips) {
      message[random() % message.size()] ^= static_cast<char>(1 << random() % 8);
    }
    const Key key = random() % 2 == 0 ? Key() : Key("k");
    const auto fast = Fast(admission_, message, key);
    if (!fast) continue;
    ++taken;
    const auto slow = Slow(admission_, message, key);
    ASSERT_TRUE(slow);
    ExpectSame(*fast, *slow);
  }
  EXPECT_GT(taken, 10'000);
}

class JsonLearnViewTest : public LearnViewTest {
 protected:
  std::optional<AdmittedLearn> FastJson(std::string_view text, Key key) {
    LearnView learn;
    AdmittedLearn admitted;
    if (!json_.ReadLearnView(text, key, x_, learn) || !admission_.AdmitView(learn, admitted))
      return {};
    return admitted;
  }
  JsonEventCodec json_;
  std::vector<double> x_;
};

TEST_F(JsonLearnViewTest, AViewKeepsNothingOfTheOneBefore) {
  LearnView learn;
  const std::string with = R"({"type":"learn","id":"e","x":[0.5],"y":"cat","w":2})";
  const std::string without = R"({"type":"learn","id":"e","x":[0.5],"y":1})";
  ASSERT_TRUE(json_.ReadLearnView(with, {}, x_, learn));
  EXPECT_EQ(learn.label, "cat");
  EXPECT_EQ(learn.w, 2);
  ASSERT_TRUE(json_.ReadLearnView(without, {}, x_, learn));
  EXPECT_FALSE(learn.label);
  EXPECT_EQ(learn.w, 1);
  Event event = Learn("e", {1}, 0);
  event.label = "cat";
  event.w = 2;
  const std::string binary_with = Encode(event);
  const std::string binary_without = Encode(Learn("e", {1}, 1));
  ASSERT_TRUE(codec_.ReadLearnView(binary_with, {}, learn));
  EXPECT_EQ(learn.label, "cat");
  EXPECT_EQ(learn.w, 2);
  ASSERT_TRUE(codec_.ReadLearnView(binary_without, {}, learn));
  EXPECT_FALSE(learn.label);
  EXPECT_EQ(learn.w, 1);
}

TEST_F(JsonLearnViewTest, DamagedTextsAreTakenByBothOrByNone) {
  const std::string usual =
      R"({"type":"learn","id":"e-81","subject":"user-7","x":[0.5,-0.25,0.125],"y":1})";
  std::mt19937_64 random(7);
  int taken = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string text = usual;
    for (std::uint64_t changes = random() % 3; changes > 0; --changes) {
      text[random() % text.size()] = R"(0123456789-.,:"{}[] exyid)"[random() % 25];
    }
    const Key key = random() % 2 == 0 ? Key() : Key("k");
    const auto fast = FastJson(text, key);
    if (!fast) continue;
    ++taken;
    const auto slow = Decoded(json_, admission_, text, key);
    ASSERT_TRUE(slow) << text;
    ExpectSame(*fast, *slow);
  }
  EXPECT_GT(taken, 10'000);
}

TEST_F(JsonLearnViewTest, WhatHasNoIdOrAPrefixIsLeftToTheOther) {
  const std::string rest = R"("x":[0.5,-0.25,0.125],"y":1})";
  EXPECT_TRUE(FastJson(R"({"type":"learn","id":"e",)" + rest, {}));
  EXPECT_FALSE(FastJson(R"({"type":"learn",)" + rest, {}));
  EXPECT_FALSE(FastJson(std::string(5, '\0') + R"({"type":"learn","id":"e",)" + rest, {}));
}

}  // namespace
}  // namespace lethe::learn_view_test
