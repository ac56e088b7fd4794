// Feeds any bytes to the JSON codec, as a message with and without a key and as a recorded line,
// and checks what must hold of whatever comes out. Bytes that begin with 1 are a recipe for JSON. A
// dictionary is in json_codec_fuzz.dict.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "connectors/json/canonical.h"
#include "connectors/json/event_codec.h"
#include "engine/base/check.h"
#include "tests/fuzz/json_recipe.h"

namespace lethe {
namespace {

using Key = std::optional<std::string_view>;

bool IsReference(const std::optional<std::string>& text) {
  return !text || (!text->empty() && text->size() <= kMaxIdBytes);
}

void CheckAccepted(const Event& event) {
  LETHE_CHECK(IsReference(event.id));
  LETHE_CHECK(IsReference(event.subject));
  LETHE_CHECK(!event.request || event.request->size() <= kMaxRequestBytes);
  LETHE_CHECK(std::isfinite(event.y) && std::isfinite(event.w));
  for (const double value : event.x) LETHE_CHECK(std::isfinite(value));
  for (const auto& [name, value] : event.named) LETHE_CHECK(std::isfinite(value));
  LETHE_CHECK(event.x.empty() || (event.named.empty() && event.texts.empty()));
  if (event.kind == EventKind::kDelete) {
    LETHE_CHECK(event.id.has_value() != event.subject.has_value());
    LETHE_CHECK(event.x.empty() && event.named.empty() && !event.label && event.w == 1);
  } else {
    LETHE_CHECK(!event.request);
    LETHE_CHECK(event.kind == EventKind::kLearn || event.id);
  }
}

void CheckRejected(const Rejection& rejection, const Event& event) {
  LETHE_CHECK(rejection.reason < Reason::kCount);
  LETHE_CHECK(!rejection.message.empty() && rejection.message.size() < 100);
  LETHE_CHECK(rejection.reason != Reason::kMissingTarget || rejection.is_request);
  LETHE_CHECK(!event.id && !event.subject && !event.request);
  LETHE_CHECK(event.x.empty() && event.named.empty());
}

bool Same(const Event& a, const Event& b) {
  return a.kind == b.kind && a.id == b.id && a.subject == b.subject && a.request == b.request &&
         a.x == b.x && a.named == b.named && a.texts == b.texts && a.y == b.y &&
         a.label == b.label && a.w == b.w && a.unknown_members == b.unknown_members;
}

bool Same(const std::optional<Rejection>& a, const std::optional<Rejection>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->reason == b->reason && a->message == b->message && a->is_request == b->is_request;
}

void CheckPlace(const Record& record) {
  LETHE_CHECK(record.shard.value >= 0);
  LETHE_CHECK(record.shard.value <= std::numeric_limits<std::int32_t>::max());
  LETHE_CHECK(record.offset >= kNoOffset);
  LETHE_CHECK(record.offset.value < std::numeric_limits<std::int64_t>::max());
  LETHE_CHECK(record.timestamp >= kNoTime);
}

// One codec sees all inputs, in events that are reused. The other has always just seen the same
// record, and fills a new event: there must be no difference.
class Harness {
 public:
  void Value(std::string_view value, Key key) {
    const auto rejection = used_.DecodeValue(value, key, event_);
    rejection ? CheckRejected(*rejection, event_) : CheckAccepted(event_);
    Event event;
    Refresh();
    LETHE_CHECK(Same(rejection, fresh_.DecodeValue(value, key, event)));
    LETHE_CHECK(Same(event_, event));
    // White space at the end leaves the fast way, and must change nothing.
    if (!ReadCanonicalLearn(value, key, event)) return;
    Event general;
    LETHE_CHECK(!fresh_.DecodeValue(std::string(value) + " ", key, general));
    LETHE_CHECK(Same(event, general));
  }

  void Line(std::string_view line) {
    used_.DecodeLine(line, record_);
    record_.rejection ? CheckRejected(*record_.rejection, record_.event)
                      : CheckAccepted(record_.event);
    CheckPlace(record_);
    Record record;
    Refresh();
    fresh_.DecodeLine(line, record);
    LETHE_CHECK(Same(record_.rejection, record.rejection));
    LETHE_CHECK(Same(record_.event, record.event));
    LETHE_CHECK(record_.shard == record.shard && record_.offset == record.offset);
    LETHE_CHECK(record_.timestamp == record.timestamp);
  }

 private:
  void Refresh() {
    Event event;
    LETHE_CHECK(fresh_.DecodeValue(R"({"type":"delete"})", std::nullopt, event));
  }

  // Below what libFuzzer makes, so that the limit is met too.
  static constexpr std::size_t kMaxBytes = 3000;

  JsonEventCodec used_{kMaxBytes};
  JsonEventCodec fresh_{kMaxBytes};
  Event event_;
  Record record_;
};

}  // namespace
}  // namespace lethe

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static lethe::Harness harness;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string made;
  if (text.starts_with('\x01')) {
    made = lethe::JsonRecipe(text.substr(1)).Object();
    text = made;
  }
  harness.Value(text, std::nullopt);
  harness.Value(text, text.substr(0, size % 7));
  harness.Line(text);
  return 0;
}
