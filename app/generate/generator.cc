#include "app/generate/generator.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "app/generate/people.h"
#include "app/generate/split_mix.h"
#include "engine/json.h"

namespace lethe {
namespace {

constexpr double kSharpness = 16;        // classification: how sure the labels are
constexpr double kLabelNoise = 0.1;      // regression
constexpr std::int64_t kRecent = 200;    // events that pattern recent chooses from
constexpr int kBursts = 10;
constexpr std::int64_t kStartMs = 1'700'000'000'000;
constexpr std::int64_t kEventMs = 10;

// Six decimals, towards zero: the norm stays at most 1, and short numbers are fast to read.
double Rounded(double value) { return std::trunc(value * 1e6) / 1e6; }

class Stream {
 public:
  Stream(const GenerateOptions& options, StreamWriter& out)
      : options_(options), out_(out), random_(options.seed), people_(options.subjects) {
    for (auto* truth : {&start_, &end_}) {
      for (std::int64_t j = 0; j < options.dimension; ++j) truth->push_back(random_.Normal());
      Normalise(*truth);
    }
  }

  Status Write() {
    for (std::int64_t event = 0; event < options_.events; ++event) {
      LETHE_RETURN_IF_ERROR(Learn(event));
      for (std::int64_t i = RequestsAfter(event); i > 0; --i) LETHE_RETURN_IF_ERROR(Delete());
    }
    return Status::Ok();
  }

 private:
  static void Normalise(std::vector<double>& x) {
    double squared = 0;
    for (const double value : x) squared += value * value;
    for (double& value : x) value /= std::sqrt(squared);
  }

  double Truth(const std::vector<double>& x, std::int64_t event) const {
    const double angle = options_.drift * std::numbers::pi / 2 * static_cast<double>(event) /
                         static_cast<double>(options_.events);
    double score = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      score += (std::cos(angle) * start_[j] + std::sin(angle) * end_[j]) * x[j];
    }
    return score;
  }

  double Label(double score) {
    if (options_.task == Task::kClassification) {
      return random_.Uniform() < 1 / (1 + std::exp(-kSharpness * score)) ? 1 : -1;
    }
    return Rounded(std::clamp(score + kLabelNoise * random_.Normal(), -1.0, 1.0));
  }

  // How many requests follow an event, so that the rate is right on average, or in bursts.
  std::int64_t RequestsAfter(std::int64_t event) {
    if (options_.pattern != Pattern::kBurst) {
      const auto whole = static_cast<std::int64_t>(options_.deletions);
      return whole + (random_.Uniform() < options_.deletions - static_cast<double>(whole) ? 1 : 0);
    }
    const std::int64_t period = std::max<std::int64_t>(1, options_.events / kBursts);
    if ((event + 1) % period != 0) return 0;
    return std::llround(options_.deletions * static_cast<double>(period));
  }

  Status Learn(std::int64_t event) {
    std::vector<double> x;
    for (std::int64_t j = 0; j < options_.dimension; ++j) x.push_back(2 * random_.Uniform() - 1);
    Normalise(x);
    for (double& value : x) value = Rounded(value);
    std::optional<std::int64_t> person;
    if (options_.subjects > 0) person = random_.Below(options_.subjects);
    people_.Add(event, person);
    JsonWriter json;
    json.BeginObject().Field("type", "learn").Field("id", "e-" + std::to_string(event));
    if (person && !options_.envelopes) json.Field("subject", "user-" + std::to_string(*person));
    json.Key("x").BeginArray();
    for (const double value : x) json.Value(value);
    json.EndArray().Field("y", Label(Truth(x, event))).EndObject();
    return Send(json.text(), person);
  }

  Status Delete() {
    JsonWriter json;
    json.BeginObject().Field("type", "delete");
    std::optional<std::int64_t> person;
    if (options_.pattern == Pattern::kSubject) {
      person = people_.AnyPerson(random_);
      if (!person) return Status::Ok();
      people_.RemovePerson(*person);
      json.Field("subject", "user-" + std::to_string(*person));
    } else {
      const auto event = Target();
      if (!event) return Status::Ok();
      people_.RemoveEvent(*event);
      json.Field("id", "e-" + std::to_string(*event));
    }
    json.Field("request", "r-" + std::to_string(++requests_)).EndObject();
    return Send(json.text(), person);
  }

  std::optional<std::int64_t> Target() {
    switch (options_.pattern) {
      case Pattern::kRecent: return people_.RecentEvent(random_, kRecent);
      case Pattern::kOldest: return people_.OldestEvent();
      default: return people_.AnyEvent(random_);
    }
  }

  Status Send(const std::string& event, std::optional<std::int64_t> person) {
    const std::int64_t offset = offset_++;
    if (!options_.envelopes) return out_.WriteLine(event);
    JsonWriter json;
    json.BeginObject().Key("key");
    person ? json.Value("user-" + std::to_string(*person)) : json.Null();
    json.Field("partition", std::int64_t{0}).Field("offset", offset);
    json.Field("timestamp", kStartMs + kEventMs * offset).Key("value").Raw(event).EndObject();
    return out_.WriteLine(json.text());
  }

  const GenerateOptions& options_;
  StreamWriter& out_;
  SplitMix random_;
  People people_;
  std::vector<double> start_, end_;  // the truth at both ends of the stream
  std::int64_t offset_ = 0;
  std::int64_t requests_ = 0;
};

}  // namespace

Status Generate(const GenerateOptions& options, StreamWriter& out) {
  return Stream(options, out).Write();
}

}  // namespace lethe
