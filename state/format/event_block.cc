#include "state/format/event_block.h"

#include <algorithm>
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/varint.h"
#include "state/format/bytes.h"

namespace lethe {
namespace {

constexpr std::size_t kHeader = 1 + 8 + 4 + 1 + 8 + 4;

// How many bytes of a hash are stored. The width is a template argument below, so that copying a
// hash takes one or two instructions.
constexpr std::size_t kId = 8;
constexpr std::size_t kSubject = 7;

template <std::size_t kWidth>
void PutNames(std::string& out, const KeyHash* names, std::size_t count) {
  const std::size_t begin = out.size();
  out.resize(begin + count * kWidth);
  char* at = out.data() + begin;
  for (std::size_t i = 0; i < count; ++i, at += kWidth) std::memcpy(at, &names[i], kWidth);
}

template <std::size_t kWidth>
void ReadNames(std::string_view from, std::size_t count, KeyHash* names) {
  const char* at = from.data();
  for (std::size_t i = 0; i < count; ++i, at += kWidth) {
    std::memcpy(static_cast<void*>(&names[i]), at, kWidth);
  }
}

// A zigzag varint: small numbers of either sign are short.
void PutSmall(std::string& out, std::int64_t number) {
  AppendVarint((static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63),
               out);
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

EventBlock::EventBlock(std::int64_t first, std::size_t most) : first_(first) {
  offsets_.reserve(most);
  ids_.reserve(most);
  subjects_.reserve(most);
}

EventBlock::Entry EventBlock::At(std::int64_t index) const {
  const std::size_t at = Place(index);
  Entry event{.index = {index}, .offset = {offsets_[at]}, .id = ids_[at], .subject = {}};
  if (subjects_[at] != KeyHash{}) event.subject = subjects_[at];
  return event;
}

void EventBlock::Append(const Entry& event) {
  LETHE_CHECK(event.id.high == 0 && (!event.subject || event.subject->high == 0));
  offsets_.push_back(event.offset.value);
  ids_.push_back(event.id);
  subjects_.push_back(event.subject.value_or(KeyHash{}));
}

bool EventBlock::Blank(std::int64_t index) {
  const std::size_t at = Place(index);
  if (ids_[at] == KeyHash{} && subjects_[at] == KeyHash{}) return false;
  ids_[at] = subjects_[at] = {};
  return true;
}

std::string EventBlock::Encode(std::int64_t from, std::int64_t to) const {
  const std::size_t begin = Place(from);
  const std::size_t end = Place(to);
  const bool has_subjects = std::any_of(&subjects_[begin], &subjects_[0] + end,
                                        [](const KeyHash& name) { return name != KeyHash{}; });
  std::string value;
  value.reserve(kHeader + (end - begin) * (kId + kSubject));
  PutNumber(value, RowKind::kEvents);
  PutNumber(value, from);
  PutNumber(value, static_cast<std::uint32_t>(end - begin));
  PutNumber(value, static_cast<std::uint8_t>(has_subjects));
  PutNumber(value, offsets_[begin]);
  // Pairs for ForEachRun, wherever an offset is not one more than the offset before it.
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
  PutNames<kId>(value, &ids_[begin], end - begin);
  if (has_subjects) PutNames<kSubject>(value, &subjects_[begin], end - begin);
  return value;
}

// The columns of a row, as views into its bytes. docs/formats/state.md has the layout.
struct EventBlock::Layout {
  std::int64_t first = 0;
  std::size_t count = 0;
  std::int64_t first_offset = 0;
  std::string_view jumps;
  std::string_view ids;
  std::string_view subjects;  // empty: there are none

  // None: the row is damaged. The sizes of all columns have been checked against its length.
  static std::optional<Layout> Of(std::string_view value) {
    if (value.size() < kHeader || NumberAt<RowKind>(value, 0) != RowKind::kEvents) return {};
    Layout layout;
    layout.first = NumberAt<std::int64_t>(value, 1);
    if (layout.first < 0 || layout.first > kMostIndex) return {};
    layout.count = NumberAt<std::uint32_t>(value, 9);
    const auto has_subjects = NumberAt<std::uint8_t>(value, 13);
    if (has_subjects > 1) return {};
    layout.first_offset = NumberAt<std::int64_t>(value, 14);
    const std::size_t jumps = NumberAt<std::uint32_t>(value, 22);
    const std::size_t names = layout.count * (kId + has_subjects * kSubject);
    if (value.size() != kHeader + jumps + names) return {};
    layout.jumps = value.substr(kHeader, jumps);
    layout.ids = value.substr(kHeader + jumps, layout.count * kId);
    layout.subjects = value.substr(kHeader + jumps + layout.ids.size());
    return layout;
  }

  // Calls visit(begin, end, offset of begin) for each run of consecutive offsets, in order. The
  // column `jumps` has a pair for each gap: how many events precede it, and how many offsets are
  // missing. Returns false if the column is damaged; some runs may have been visited by then.
  template <typename Visit>
  bool ForEachRun(const Visit& visit) const {
    auto next = static_cast<std::uint64_t>(first_offset);  // unsigned: a damaged one may overflow
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

bool EventBlock::Decode(std::string_view value, EventBlock& rows) {
  const auto layout = Layout::Of(value);
  if (!layout) return false;
  rows.first_ = layout->first;
  rows.offsets_.resize(layout->count);
  rows.ids_.assign(layout->count, {});
  rows.subjects_.assign(layout->count, {});
  ReadNames<kId>(layout->ids, layout->count, rows.ids_.data());
  if (!layout->subjects.empty()) {
    ReadNames<kSubject>(layout->subjects, layout->count, rows.subjects_.data());
  }
  return layout->ForEachRun([&](std::size_t begin, std::size_t end, std::uint64_t offset) {
    for (std::size_t i = begin; i < end; ++i) {
      rows.offsets_[i] = static_cast<std::int64_t>(offset++);
    }
  });
}

std::optional<EventBlock::Entry> EventBlock::DecodeOne(std::string_view value, std::int64_t index) {
  const auto layout = Layout::Of(value);
  if (!layout || index < layout->first ||
      index - layout->first >= static_cast<std::int64_t>(layout->count)) {
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
  ReadNames<kId>(layout->ids.substr(at * kId), 1, &event.id);
  KeyHash subject;
  if (!layout->subjects.empty()) {
    ReadNames<kSubject>(layout->subjects.substr(at * kSubject), 1, &subject);
  }
  if (subject != KeyHash{}) event.subject = subject;
  return event;
}

}  // namespace lethe
