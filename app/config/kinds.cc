#include "app/config/kinds.h"

#include "engine/spec/retention.h"

namespace lethe::config {
namespace {

Status OutOfRange(const std::string& why) {
  return Status(ErrorCode::kConfig, "is out of range" + (why.empty() ? "" : ": " + why));
}

bool Unbounded(double most) { return most == std::numeric_limits<double>::max(); }

std::string InProse(const Range& range) {
  const std::string least = NumberInProse(range.least);
  const std::string most = NumberInProse(range.most);
  if (!range.above && !range.below && !Unbounded(range.most)) {
    return "a number from " + least + " to " + most;
  }
  std::string text = (range.above ? "a number above " : "a number of at least ") + least;
  if (Unbounded(range.most)) return text;
  return text + (range.below ? " and below " : " and at most ") + most;
}

std::string NumberSchema(const Range& range) {
  std::string schema = "{\"type\": \"number\", ";
  schema += range.above ? "\"exclusiveMinimum\": " : "\"minimum\": ";
  schema += FormatNumber(range.least);
  if (!Unbounded(range.most)) {
    schema += range.below ? ", \"exclusiveMaximum\": " : ", \"maximum\": ";
    schema += FormatNumber(range.most);
  }
  return schema + "}";
}

bool Contains(const Range& range, double value) {
  const bool high_enough = range.above ? value > range.least : value >= range.least;
  const bool low_enough = range.below ? value < range.most : value <= range.most;
  return high_enough && low_enough;
}

std::string IntegerInProse(std::int64_t least, std::int64_t most) {
  if (most == kNoLimit) return "an integer of at least " + std::to_string(least);
  return "an integer from " + std::to_string(least) + " to " + std::to_string(most);
}

std::string IntegerSchema(std::int64_t least, std::int64_t most) {
  std::string schema = "{\"type\": \"integer\", \"minimum\": " + std::to_string(least);
  if (most != kNoLimit) schema += ", \"maximum\": " + std::to_string(most);
  return schema + "}";
}

constexpr char kDurationSchema[] = R"({"type": "string", "pattern": "^[0-9]+(ms|s|m|h|d)$"})";
constexpr char kDurationInProse[] = "a duration such as 100ms, 10s, 5m, 24h, 8d";

}  // namespace

Kind<double> Number(Range range) {
  const auto parse = [range](const std::string& text) -> Result<double> {
    Result<double> value = ParseNumber(text);
    if (!value.ok() || Contains(range, value.value())) return value;
    const bool low = value.value() <= range.least;
    return OutOfRange(low ? range.why : "");
  };
  return {InProse(range), NumberSchema(range), parse, FormatNumber};
}

Kind<std::int64_t> Integer(std::int64_t least, std::int64_t most) {
  const auto parse = [least, most](const std::string& text) -> Result<std::int64_t> {
    Result<std::int64_t> value = ParseInteger(text);
    if (!value.ok() || (value.value() >= least && value.value() <= most)) return value;
    return OutOfRange("");
  };
  const auto print = [](std::int64_t value) { return std::to_string(value); };
  return {IntegerInProse(least, most), IntegerSchema(least, most), parse, print};
}

Kind<std::uint64_t> Unsigned() {
  const auto print = [](std::uint64_t value) { return std::to_string(value); };
  return {"an integer from 0 to 18446744073709551615", IntegerSchema(0, kNoLimit), ParseUnsigned,
          print};
}

Kind<bool> Boolean() {
  const auto parse = [](const std::string& text) -> Result<bool> {
    if (text == "true" || text == "false") return text == "true";
    return Status(ErrorCode::kConfig, "is neither true nor false");
  };
  const auto print = [](bool value) { return value ? "true" : "false"; };
  return {"true or false", "{\"type\": \"boolean\"}", parse, print, {"true", "false"}};
}

Kind<std::int64_t> DurationMs(std::int64_t least_ms) {
  const auto parse = [least_ms](const std::string& text) -> Result<std::int64_t> {
    Result<std::int64_t> value = ParseDurationMs(text);
    if (!value.ok() || value.value() >= least_ms) return value;
    return OutOfRange("");
  };
  std::string allowed = kDurationInProse;
  if (least_ms > 0) allowed += ", at least " + FormatDurationMs(least_ms);
  return {allowed, kDurationSchema, parse, FormatDurationMs};
}

Kind<Wait> EventsOrTime() {
  const auto parse = [](const std::string& text) -> Result<Wait> {
    const Result<std::int64_t> events = ParseInteger(text);
    if (events.ok() && events.value() < 0) return OutOfRange("");
    if (events.ok()) return Wait{.events = events.value(), .event_time_ms = 0};
    const Result<std::int64_t> ms = ParseDurationMs(text);
    if (ms.ok()) return Wait{.events = 0, .event_time_ms = ms.value()};
    return Status(ErrorCode::kConfig, "is neither a number of events nor a duration");
  };
  const auto print = [](const Wait& wait) {
    return wait.event_time_ms > 0 ? FormatDurationMs(wait.event_time_ms)
                                  : std::to_string(wait.events);
  };
  return {"a number of events such as 100, or of event time such as 5s, 24h",
          "{\"anyOf\": [" + IntegerSchema(0, kNoLimit) + ", " + kDurationSchema + "]}", parse,
          print};
}

Kind<Retention> RetainedEvents() {
  const auto parse = [](const std::string& text) -> Result<Retention> {
    if (text == "auto") return Retention{};
    if (text == "all") return Retention{.all = true};
    if (const Result<std::int64_t> events = ParseInteger(text); events.ok()) {
      if (events.value() >= kLeastRetention) return Retention{.events = events.value()};
      return OutOfRange(
          "a window is half of it, and must be able to learn from one event to the "
          "next");
    }
    const Result<std::int64_t> ms = ParseDurationMs(text);
    if (!ms.ok()) {
      return Status(ErrorCode::kConfig,
                    "is neither auto, nor all, nor a number of events, nor a duration");
    }
    if (ms.value() >= kLeastRetentionMs) return Retention{.time_ms = ms.value()};
    return OutOfRange(
        "a window is half of it, and the clocks of two machines may differ by a "
        "second");
  };
  return {"auto, all, a number of events, at least " + std::to_string(kLeastRetention) +
              ", or of event time such as 24h, 30d, at least " +
              FormatDurationMs(kLeastRetentionMs),
          "{\"anyOf\": [" + EnumSchema({"auto", "all"}) + ", " +
              IntegerSchema(kLeastRetention, kNoLimit) + ", " + kDurationSchema + "]}",
          parse,
          [](const Retention& retention) { return ToText(retention); },
          {"auto", "all"}};
}

Kind<ShrinkSpec> GuessOfNorm() {
  const Kind<double> number = Number({});
  const auto parse = [number](const std::string& text) -> Result<ShrinkSpec> {
    if (text == "auto") return ShrinkSpec{};
    if (text == "off") return ShrinkSpec{.off = true, .norm = 0};
    const Result<double> norm = number.parse(text);
    if (!norm.ok()) return norm.status();
    return ShrinkSpec{.off = false, .norm = norm.value()};
  };
  const auto print = [number](const ShrinkSpec& shrink) {
    return shrink.off ? "off" : shrink.is_auto() ? "auto" : number.print(shrink.norm);
  };
  return {"auto, off, or a number above 0",
          "{\"anyOf\": [" + EnumSchema({"auto", "off"}) + ", " + number.schema + "]}",
          parse,
          print,
          {"auto", "off"}};
}

Kind<std::int64_t> ZeroIsNull(Kind<std::int64_t> kind) {
  kind.nullable = true;
  kind.print = [print = kind.print](std::int64_t value) {
    return value == 0 ? "null" : print(value);
  };
  return kind;
}

}  // namespace lethe::config
