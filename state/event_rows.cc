#include "state/event_rows.h"

#include <algorithm>
#include <type_traits>

#include "engine/archive.h"
#include "state/byte_rows.h"
#include "state/bytes.h"

namespace lethe {
namespace {

constexpr std::uint8_t kVersion = 2;
constexpr std::size_t kHeader = 1 + 8 + 4 + 1 + 8 + 4;
constexpr std::uint8_t kWholeNames = 1;
constexpr std::uint8_t kSubjects = 2;

constexpr std::size_t kWhole = 16;
constexpr std::size_t kShortId = 8;
constexpr std::size_t kShortSubject = 7;

bool Fits(const KeyHash& name, std::size_t bytes) {
  return name.high == 0 && (bytes >= 8 || name.low >> (8 * bytes) == 0);
}

// Calls f with the width as a constant, which makes copying a matter of one or two instructions.
template <typename F>
void WithConstant(std::size_t width, const F& f) {
  switch (width) {
    case kShortSubject: return f(std::integral_constant<std::size_t, kShortSubject>());
    case kShortId: return f(std::integral_constant<std::size_t, kShortId>());
    default: return f(std::integral_constant<std::size_t, kWhole>());
  }
}

void PutNames(std::string& out, const KeyHash* names, std::size_t count, std::size_t width) {
  const std::size_t begin = out.size();
  out.resize(begin + count * width);
  WithConstant(width, [&](auto bytes) {
    char* at = out.data() + begin;
    for (std::size_t i = 0; i < count; ++i, at += bytes()) std::memcpy(at, &names[i], bytes());
  });
}

void ReadNames(std::string_view from, std::size_t count, std::size_t width, KeyHash* names) {
  WithConstant(width, [&](auto bytes) {
    const char* at = from.data();
    for (std::size_t i = 0; i < count; ++i, at += bytes())
      std::memcpy(static_cast<void*>(&names[i]), at, bytes());
  });
}

// Seven bits to a byte, the last one below 128; small numbers of either sign are short.
void PutSmall(std::string& out, std::int64_t number) {
  auto rest = (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
  for (; rest >= 0x80; rest >>= 7) out.push_back(static_cast<char>(rest | 0x80));
  out.push_back(static_cast<char>(rest));
}

bool ReadSmall(std::string_view bytes, std::size_t& at, std::int64_t& number) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes[at++]);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte >= 0x80) continue;
    number = static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
    return true;
  }
  return false;
}

}  // namespace

EventRows::EventRows(std::int64_t first, std::size_t most) : first_(first) {
  offsets_.reserve(most);
  ids_.reserve(most);
  subjects_.reserve(most);
}

EventRows::Entry EventRows::At(std::int64_t index) const {
  const std::size_t at = Place(index);
  Entry event{.index = {index}, .offset = {offsets_[at]}, .id = ids_[at], .subject = {}};
  if (subjects_[at] != KeyHash{}) event.subject = subjects_[at];
  return event;
}

void EventRows::Append(const Entry& event) {
  offsets_.push_back(event.offset.value);
  ids_.push_back(event.id);
  subjects_.push_back(event.subject.value_or(KeyHash{}));
}

bool EventRows::Blank(std::int64_t index) {
  const std::size_t at = Place(index);
  if (ids_[at] == KeyHash{} && subjects_[at] == KeyHash{}) return false;
  ids_[at] = subjects_[at] = {};
  return true;
}

bool EventRows::AreShort(std::size_t from, std::size_t to) const {
  for (std::size_t i = from; i < to; ++i) {
    if (!Fits(ids_[i], kShortId) || !Fits(subjects_[i], kShortSubject)) return false;
  }
  return true;
}

std::string EventRows::Encode(std::int64_t from, std::int64_t to) const {
  const std::size_t begin = Place(from);
  const std::size_t end = Place(to);
  const bool are_short = AreShort(begin, end);
  const bool has_subjects = std::any_of(&subjects_[begin], &subjects_[0] + end,
                                        [](const KeyHash& name) { return name != KeyHash{}; });
  std::string value;
  value.reserve(kHeader + (end - begin) * 2 * (are_short ? kShortId : kWhole));
  PutNumber(value, kVersion);
  PutNumber(value, from);
  PutNumber(value, static_cast<std::uint32_t>(end - begin));
  PutNumber(value, static_cast<std::uint8_t>((are_short ? 0 : kWholeNames) |
                                             (has_subjects ? kSubjects : 0)));
  PutNumber(value, offsets_[begin]);
  std::string jumps;
  std::size_t last = begin;
  for (std::size_t i = begin + 1; i < end; ++i) {
    const std::int64_t jump = offsets_[i] - offsets_[i - 1] - 1;
    if (jump == 0) continue;
    PutSmall(jumps, static_cast<std::int64_t>(i - last));
    PutSmall(jumps, jump);
    last = i;
  }
  PutNumber(value, static_cast<std::uint32_t>(jumps.size()));
  value += jumps;
  PutNames(value, &ids_[begin], end - begin, are_short ? kShortId : kWhole);
  if (has_subjects) {
    PutNames(value, &subjects_[begin], end - begin, are_short ? kShortSubject : kWhole);
  }
  return value;
}

// Where the columns of a row are.
struct EventRows::Layout {
  std::int64_t first = 0;
  std::size_t count = 0;
  std::int64_t first_offset = 0;
  std::string_view jumps;
  std::size_t id_bytes = 0;
  std::size_t subject_bytes = 0;  // 0: there are none
  std::string_view ids;
  std::string_view subjects;

  static std::optional<Layout> Of(std::string_view value) {
    if (value.size() < kHeader || NumberAt<std::uint8_t>(value, 0) != kVersion) return {};
    Layout layout;
    layout.first = NumberAt<std::int64_t>(value, 1);
    if (layout.first < 0 || layout.first > kMostIndex) return {};
    layout.count = NumberAt<std::uint32_t>(value, 9);
    const auto flags = NumberAt<std::uint8_t>(value, 13);
    layout.first_offset = NumberAt<std::int64_t>(value, 14);
    const std::size_t jumps = NumberAt<std::uint32_t>(value, 22);
    const bool is_whole = (flags & kWholeNames) != 0;
    layout.id_bytes = is_whole ? kWhole : kShortId;
    if ((flags & kSubjects) != 0) layout.subject_bytes = is_whole ? kWhole : kShortSubject;
    const std::size_t names = layout.count * (layout.id_bytes + layout.subject_bytes);
    if (value.size() != kHeader + jumps + names) return {};
    layout.jumps = value.substr(kHeader, jumps);
    layout.ids = value.substr(kHeader + jumps, layout.count * layout.id_bytes);
    layout.subjects = value.substr(kHeader + jumps + layout.ids.size());
    return layout;
  }

  // Calls visit(begin, end, offset of begin) for each run of offsets. False if they are damaged.
  template <typename Visit>
  bool ForEachRun(const Visit& visit) const {
    auto next = static_cast<std::uint64_t>(first_offset);  // damaged ones may overflow
    std::size_t begin = 0;
    const auto run = [&](std::size_t length) {
      visit(begin, begin + length, next);
      begin += length;
      next += length;
    };
    for (std::size_t at = 0; at < jumps.size();) {
      std::int64_t distance = 0;
      std::int64_t jump = 0;
      if (!ReadSmall(jumps, at, distance) || !ReadSmall(jumps, at, jump)) return false;
      if (distance < 1 || distance > static_cast<std::int64_t>(count - begin)) return false;
      run(static_cast<std::size_t>(distance));
      next += static_cast<std::uint64_t>(jump);
    }
    run(count - begin);
    return true;
  }
};

bool EventRows::Decode(std::string_view value, EventRows& rows) {
  const auto layout = Layout::Of(value);
  if (!layout) return rows.DecodeVersion1(value);
  rows.first_ = layout->first;
  rows.offsets_.resize(layout->count);
  rows.ids_.assign(layout->count, {});
  rows.subjects_.assign(layout->count, {});
  ReadNames(layout->ids, layout->count, layout->id_bytes, rows.ids_.data());
  if (layout->subject_bytes > 0) {
    ReadNames(layout->subjects, layout->count, layout->subject_bytes, rows.subjects_.data());
  }
  return layout->ForEachRun([&](std::size_t begin, std::size_t end, std::uint64_t offset) {
    for (std::size_t i = begin; i < end; ++i) {
      rows.offsets_[i] = static_cast<std::int64_t>(offset++);
    }
  });
}

std::optional<EventRows::Entry> EventRows::DecodeOne(std::string_view value, std::int64_t index) {
  const auto layout = Layout::Of(value);
  if (!layout) {
    EventRows rows;
    if (!rows.DecodeVersion1(value) || index < rows.first() || index >= rows.end()) return {};
    return rows.At(index);
  }
  if (index < layout->first || index - layout->first >= static_cast<std::int64_t>(layout->count)) {
    return {};
  }
  const auto at = static_cast<std::size_t>(index - layout->first);
  Entry event{.index = {index}, .offset = {}, .id = {}, .subject = {}};
  const bool is_read =
      layout->ForEachRun([&](std::size_t begin, std::size_t end, std::uint64_t offset) {
        if (begin <= at && at < end) {
          event.offset.value = static_cast<std::int64_t>(offset + (at - begin));
        }
      });
  if (!is_read) return {};
  ReadNames(layout->ids.substr(at * layout->id_bytes), 1, layout->id_bytes, &event.id);
  KeyHash subject;
  if (layout->subject_bytes > 0) {
    ReadNames(layout->subjects.substr(at * layout->subject_bytes), 1, layout->subject_bytes,
              &subject);
  }
  if (subject != KeyHash{}) event.subject = subject;
  return event;
}

// Offset, id and, if there is one, subject, one event after another.
bool EventRows::DecodeVersion1(std::string_view value) {
  ByteRows entries;
  if (!ByteRows::Decode(value, entries)) return false;
  *this = EventRows(entries.first());
  for (std::int64_t i = entries.first(); i < entries.end(); ++i) {
    Entry event;
    if (entries.At(i).empty()) {  // blank
      Append(event);
      continue;
    }
    LoadingArchive archive(entries.At(i));
    archive(event.offset, event.id);
    if (entries.At(i).size() > 24) archive(event.subject.emplace());
    if (!archive.complete()) return false;
    Append(event);
  }
  return true;
}

}  // namespace lethe
