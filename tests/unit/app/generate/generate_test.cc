#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "app/generate/generator.h"
#include "tests/unit/connectors/test_files.h"

namespace lethe::generate_test {
namespace {

using testing::ReadAll;
using testing::TemporaryDirectory;

// Ten people, in turn, with as many events as asked for.
class TurnTaking final : public ExampleSource {
 public:
  explicit TurnTaking(std::int64_t events) : events_(events) {}

  Result<bool> Next(Sample& sample) override {
    if (next_ == events_) return false;
    sample = {{0.5}, 1, next_++ % 10};
    return true;
  }
  std::optional<std::int64_t> count() const override { return events_; }
  std::int64_t people() const override { return 0; }
  std::string PersonName(std::int64_t person) const override {
    return "p" + std::to_string(person);
  }

 private:
  std::int64_t events_;
  std::int64_t next_ = 0;
};

// What a request names, and how many events had been learned when it came.
struct Request {
  std::string id;
  std::string subject;
  std::int64_t learned = 0;
};

class EventStreamTest : public ::testing::Test {
 protected:
  std::vector<std::string> Lines(std::int64_t events) {
    const std::string path = folder_.Path("events.ndjson");
    auto out = StreamWriter::Open(path);
    TurnTaking source(events);
    SplitMix random(3);
    EXPECT_TRUE(WriteEvents(source, options_, random, *out.value()).ok());
    EXPECT_TRUE(out.value()->Close().ok());
    std::vector<std::string> lines;
    std::istringstream text(ReadAll(path));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  // The requests; every one of them must name something that was learned and is retained.
  std::vector<Request> Requests(std::int64_t events) {
    std::vector<Request> requests;
    std::map<std::string, std::string> retained;  // id to subject
    simdjson::dom::parser parser;
    std::int64_t learned = 0;
    for (const std::string& line : Lines(events)) {
      const simdjson::dom::element event = parser.parse(line);
      const auto text = [&](const char* key) {
        std::string_view value;
        return event[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
      };
      if (text("type") == "learn") {
        retained[text("id")] = text("subject");
        ++learned;
        continue;
      }
      const Request request{text("id"), text("subject"), learned};
      const std::size_t gone = std::erase_if(retained, [&](const auto& entry) {
        return request.id.empty() ? entry.second == request.subject : entry.first == request.id;
      });
      EXPECT_GT(gone, 0u) << line;
      requests.push_back(request);
    }
    EXPECT_EQ(learned, events);
    return requests;
  }

  TemporaryDirectory folder_;
  StreamOptions options_;
};

TEST_F(EventStreamTest, RequestsComeAtTheirRateAndHit) {
  options_.deletions = 0.1;
  EXPECT_NEAR(static_cast<double>(Requests(5000).size()), 500, 90);
  options_.deletions = 0;
  EXPECT_TRUE(Requests(500).empty());
}

TEST_F(EventStreamTest, RecentNamesOneOfTheLast200Events) {
  options_.pattern = Pattern::kRecent;
  for (const Request& request : Requests(5000)) {
    EXPECT_GE(std::stoll(request.id.substr(2)), request.learned - 200);
  }
}

TEST_F(EventStreamTest, OldestNamesTheFirstThatIsRetained) {
  options_.pattern = Pattern::kOldest;
  std::int64_t next = 0;
  for (const Request& request : Requests(2000)) {
    EXPECT_EQ(request.id, "e-" + std::to_string(next++));
  }
  EXPECT_GT(next, 0);
}

TEST_F(EventStreamTest, BurstsComeTenTimes) {
  options_.pattern = Pattern::kBurst;
  options_.deletions = 0.05;
  std::set<std::int64_t> when;
  const auto requests = Requests(1000);
  for (const Request& request : requests) when.insert(request.learned);
  EXPECT_EQ(when.size(), 10u);
  EXPECT_EQ(requests.size(), 50u);
}

TEST_F(EventStreamTest, SubjectNamesPeopleWhoTurnUpOnTheWay) {
  options_.pattern = Pattern::kSubject;
  options_.deletions = 0.05;
  const auto requests = Requests(1000);
  ASSERT_GT(requests.size(), 20u);
  for (const Request& request : requests) {
    EXPECT_TRUE(request.id.empty());
    EXPECT_EQ(request.subject[0], 'p');
  }
}

TEST_F(EventStreamTest, EnvelopesCarryThePersonAsTheKeyAndNotInTheEvent) {
  options_.envelopes = true;
  const std::string line = Lines(1)[0];
  EXPECT_EQ(line, R"({"key":"p0","partition":0,"offset":0,"timestamp":1700000000000,)"
                  R"("value":{"type":"learn","id":"e-0","x":[0.5],"y":1}})");
}

std::string Generated(const GenerateOptions& options) {
  const TemporaryDirectory folder;
  const std::string path = folder.Path("events.ndjson");
  auto out = StreamWriter::Open(path);
  EXPECT_TRUE(Generate(options, *out.value()).ok());
  EXPECT_TRUE(out.value()->Close().ok());
  return ReadAll(path);
}

// Streams that people have generated must come out the same from later versions.
TEST(GenerateTest, TheSameSeedGivesTheSameStreamInEveryVersion) {
  const GenerateOptions options{.task = Task::kRegression,
                                .events = 4,
                                .dimension = 2,
                                .drift = 1,
                                .subjects = 3,
                                .deletions = 0.5,
                                .pattern = Pattern::kUniform,
                                .seed = 11,
                                .envelopes = false};
  EXPECT_EQ(Generated(options),
            R"({"type":"learn","id":"e-0","subject":"user-1","x":[-0.32943,0.944179],"y":-0.862383}
{"type":"learn","id":"e-1","subject":"user-1","x":[0.871422,-0.490532],"y":0.013252}
{"type":"learn","id":"e-2","subject":"user-0","x":[-0.716708,0.697372],"y":0.044334}
{"type":"learn","id":"e-3","subject":"user-0","x":[0.823345,0.56754],"y":-1}
{"type":"delete","id":"e-3","request":"r-1"}
)");
}

TEST(GenerateTest, ClassesAreLearnableAndWeightsStayWithinTheirBound) {
  GenerateOptions options;
  options.events = 3000;
  options.dimension = 3;
  options.deletions = 0;
  options.subjects = 0;
  options.classes = 4;
  options.weights = 2.5;
  std::istringstream text(Generated(options));
  std::map<std::int64_t, std::int64_t> classes;
  double least = 10, most = 0;
  simdjson::dom::parser parser;
  for (std::string line; std::getline(text, line);) {
    const simdjson::dom::element event = parser.parse(line);
    ++classes[std::int64_t(event["y"])];
    double w = 1;
    if (event["w"].get(w)) w = 1;  // a weight of 1 is left out
    least = std::min(least, w);
    most = std::max(most, w);
  }
  EXPECT_EQ(classes.size(), 4u);
  for (const auto& [number, count] : classes) {
    EXPECT_TRUE(number >= 0 && number < 4);
    EXPECT_GT(count, 200);
  }
  EXPECT_TRUE(least >= 0.01 && least < 0.1 && most > 2.4 && most <= 2.5) << least << " " << most;
}

TEST(GenerateTest, ClassificationLabelsAreAsSureAsEver) {
  const std::string text = Generated({.task = Task::kClassification,
                                      .events = 2000,
                                      .dimension = 3,
                                      .drift = 0,
                                      .subjects = 0,
                                      .deletions = 0,
                                      .pattern = Pattern::kUniform,
                                      .seed = 4,
                                      .envelopes = false});
  std::size_t positive = 0;
  for (std::size_t at = 0; (at = text.find("\"y\":1", at)) != text.npos; ++at) ++positive;
  EXPECT_EQ(positive, 995u);
}

}  // namespace
}  // namespace lethe::generate_test
