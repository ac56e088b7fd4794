#include "app/generate/event_stream.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/generate/people.h"
#include "app/interrupt.h"
#include "engine/base/check.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

constexpr std::int64_t kRecent = 200;  // pattern recent chooses from this many last events
constexpr int kBursts = 10;
constexpr std::int64_t kStartMs = 1'700'000'000'000;
constexpr std::int64_t kEventMs = 10;

class EventStream {
 public:
  EventStream(ExampleSource& source, const StreamOptions& options, SplitMix& random,
              StreamWriter& out)
      : source_(source), options_(options), random_(random), out_(out), people_(source.people()) {}

  Status Write() {
    for (std::int64_t event = 0;; ++event) {
      const auto found = source_.Next(sample_);
      if (!found.ok()) return found.status();
      if (!found.value()) return Status::Ok();
      LETHE_RETURN_IF_ERROR(Learn(event));
      for (std::int64_t i = RequestsAfter(event); i > 0; --i) LETHE_RETURN_IF_ERROR(Delete());
      if (Interrupted()) return InterruptedStatus("the stream is not complete");
    }
  }

 private:
  // How many requests follow this event: on average the rate, or all requests in a few bursts.
  std::int64_t RequestsAfter(std::int64_t event) {
    if (options_.pattern != Pattern::kBurst) {
      const auto whole = static_cast<std::int64_t>(options_.deletions);
      return whole + (random_.Uniform() < options_.deletions - static_cast<double>(whole) ? 1 : 0);
    }
    LETHE_CHECK(source_.count().has_value());
    const std::int64_t period = std::max<std::int64_t>(1, *source_.count() / kBursts);
    if ((event + 1) % period != 0) return 0;
    return std::llround(options_.deletions * static_cast<double>(period));
  }

  Status Learn(std::int64_t event) {
    const auto& person = sample_.person;
    people_.Add(event, person);
    JsonWriter json;
    json.BeginObject().Field("type", "learn").Field("id", "e-" + std::to_string(event));
    if (person && !options_.envelopes) json.Field("subject", source_.PersonName(*person));
    json.Key("x").BeginArray();
    for (const double value : sample_.x) json.Value(value);
    json.EndArray().Field("y", sample_.y);
    if (sample_.w != 1) json.Field("w", sample_.w);
    json.EndObject();
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
      json.Field("subject", source_.PersonName(*person));
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
    person ? json.Value(source_.PersonName(*person)) : json.Null();
    json.Field("partition", std::int64_t{0}).Field("offset", offset);
    json.Field("timestamp", kStartMs + kEventMs * offset).Key("value").Raw(event).EndObject();
    return out_.WriteLine(json.text());
  }

  ExampleSource& source_;
  const StreamOptions& options_;
  SplitMix& random_;
  StreamWriter& out_;
  People people_;
  Sample sample_;  // reused
  std::int64_t offset_ = 0;
  std::int64_t requests_ = 0;
};

}  // namespace

Status WriteEvents(ExampleSource& source, const StreamOptions& options, SplitMix& random,
                   StreamWriter& out) {
  return EventStream(source, options, random, out).Write();
}

}  // namespace lethe
