// A million messages, 30% of them broken in every way that producers break them: all are counted,
// each in one place, and the model is that of the sound ones alone.

#include <csignal>
#include <fstream>
#include <iostream>
#include <random>

#include "tests/support/daemon_fixture.h"

namespace lethe::testing::run_garbage_test {
namespace {

constexpr std::size_t kMessages = 1'000'000;
constexpr std::size_t kBrokenOfTen = 3;

// Breaks a sound message, in a way that cannot leave it sound.
std::string Break(const std::string& sound, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return random() % n; };
  const std::string not_utf8 = "\xc3\x28";
  switch (below(12)) {
    case 0: return sound.substr(0, 1 + below(sound.size() - 1));               // truncated
    case 1: return sound + sound;                                              // two in one
    case 2: return std::string(1 + below(64), '\0');                           // NUL
    case 3: return std::string(1000 + below(5000), '[');                       // deep
    case 4: return R"({"type":"learn","id":"g","x":"0.1,0.2","y":1})";         // wrong type
    case 5: return R"({"type":"learn","id":"g","x":[0.1,null,0,0,0],"y":1})";  // wrong element
    case 6: return R"({"type":"learn","id":")" + not_utf8 + R"(","x":[0,0,0,0,0],"y":1})";
    case 7: return R"({"type":"learn","id":"g","x":[9,9,9,9,9],"y":1})";       // oversized
    case 8: return R"({"type":"forget","id":"g"})";                            // unknown type
    case 9: return R"({"type":"learn","id":"g","x":[0.1,0,0,0,0],"y":7})";     // label
    case 10: return R"({"type":"learn","id":"g","x":[1e999,0,0,0,0],"y":1})";  // not finite
    default: {
      std::string bytes(1 + below(300), ' ');
      for (char& c : bytes) c = static_cast<char>(random());
      bytes[0] = static_cast<char>(0x80 | bytes[0]);  // neither JSON nor a binary message
      return bytes;
    }
  }
}

class RunGarbageTest : public DaemonTest {};

TEST_F(RunGarbageTest, EveryRecordIsCountedOnceAndTheModelIsThatOfTheSoundOnes) {
  std::mt19937 random(4);
  const auto sound = Generate(kMessages / 10 * (10 - kBrokenOfTen), 0.01);
  const auto clean = folder / "clean.ndjson";
  std::ofstream clean_file(clean);
  auto producer = KafkaProducer::Start(Settings(), {}).value();
  std::int64_t sent = 0;
  std::size_t broken = 0;
  for (const OutMessage& message : sound) {
    while (random() % 10 < kBrokenOfTen) {
      OutMessage bad = message;
      bad.value = Break(*message.value, random);
      if (broken % 10'000 == 0) bad.value = std::string(900'000, ' ') + *bad.value;  // huge
      ASSERT_TRUE(producer->Send(bad, {}, kPatience).ok());
      ++broken;
      ++sent;
    }
    ASSERT_TRUE(producer->Send(message, {}, kPatience).ok());
    ++sent;
    clean_file << *message.value << '\n';
  }
  clean_file.close();
  ASSERT_TRUE(producer->Flush(std::chrono::minutes(2)).ok());
  const auto daemon = Start();
  WaitForRecords(*daemon, sent, std::chrono::minutes(5));
  const auto count = [&](const char* name) {
    return std::atoll(StatusOf(*daemon, std::string("/totals/") + name).c_str());
  };
  const std::int64_t rejected = sent - count("learned") - count("requests") - count("updates") -
                                count("duplicates") - count("refused_late");
  EXPECT_EQ(rejected, static_cast<std::int64_t>(broken));
  EXPECT_EQ(count("learned") + count("requests"), static_cast<std::int64_t>(sound.size()));
  const std::string rejections = StatusOf(*daemon, "/totals/rejected");
  const std::string model = Model(*daemon);
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  std::cout << sent << " records, " << broken << " broken: " << rejections << "\n";
  EXPECT_EQ(model, Replay(clean).model);
}

}  // namespace
}  // namespace lethe::testing::run_garbage_test
