#include "state/block_log.h"

#include <algorithm>
#include <cstring>

#include "engine/check.h"
#include "state/keys.h"

namespace lethe {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kHeader = 1 + 8 + 4;

template <typename T>
void Put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T At(std::string_view bytes, std::size_t position) {
  T value;
  std::memcpy(&value, bytes.data() + position, sizeof value);
  return value;
}

}  // namespace

std::string_view BlockLog::Run::entry(std::int64_t index) const {
  const auto at = static_cast<std::size_t>(index - first);
  const std::size_t begin = at == 0 ? 0 : ends[at - 1];
  return std::string_view(bytes).substr(begin, ends[at] - begin);
}

void BlockLog::Run::Append(std::string_view entry) {
  bytes += entry;
  ends.push_back(static_cast<std::uint32_t>(bytes.size()));
}

void BlockLog::Run::DropBefore(std::int64_t index) {
  const auto count =
      std::min(static_cast<std::size_t>(std::max<std::int64_t>(0, index - first)), ends.size());
  if (count == 0) return;
  const std::uint32_t cut = ends[count - 1];
  bytes.erase(0, cut);
  ends.erase(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::uint32_t& end : ends) end -= cut;
  first += static_cast<std::int64_t>(count);
}

std::string BlockLog::Encode(const Run& run, std::int64_t from, std::int64_t to) {
  std::string value;
  Put(value, kVersion);
  Put(value, from);
  Put(value, static_cast<std::uint32_t>(to - from));
  for (std::int64_t i = from; i < to; ++i) {
    Put(value, static_cast<std::uint32_t>(run.entry(i).size()));
  }
  for (std::int64_t i = from; i < to; ++i) value += run.entry(i);
  return value;
}

bool BlockLog::Decode(std::string_view value, Run& run) {
  if (value.size() < kHeader || At<std::uint8_t>(value, 0) != kVersion) return false;
  run.first = At<std::int64_t>(value, 1);
  const std::size_t count = At<std::uint32_t>(value, 9);
  if (count > (value.size() - kHeader) / 4) return false;
  run.ends.resize(count);
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < count; ++i) {
    end += At<std::uint32_t>(value, kHeader + 4 * i);
    run.ends[i] = static_cast<std::uint32_t>(end);
  }
  run.bytes = value.substr(kHeader + 4 * count);
  return run.bytes.size() == end;
}

Status BlockLog::Damaged(Family family, std::string_view key) {
  return {ErrorCode::kInput, std::string("the state is damaged: ") + Name(family) + " row " +
                                 std::to_string(KeyNumber(key)) + " cannot be read"};
}

Status BlockLog::Load(const Store& store, const Visitor& visit) {
  Status status;
  bool is_first = true;
  LETHE_RETURN_IF_ERROR(store.Scan(family_, "", [&](std::string_view key, std::string_view value) {
    Run run;
    const bool is_read =
        Decode(value, run) && KeyNumber(key) == static_cast<std::uint64_t>(run.first);
    // Nothing is missing, unless it was dropped by whole blocks.
    if (!is_read || run.first != (is_first ? BlockOf(run.first) : stored_)) {
      status = Damaged(family_, key);
      return false;
    }
    if (is_first) dropped_ = open_.first = run.first;
    is_first = false;
    for (std::int64_t i = run.first; i < run.end() && status.ok(); ++i) {
      status = visit(i, run.entry(i));
    }
    stored_ = run.end();
    if (run.end() - run.first == block_) {
      open_ = {.first = run.end(), .ends = {}, .bytes = {}};
    } else {
      for (std::int64_t i = run.first; i < run.end(); ++i) open_.Append(run.entry(i));
      pieces_.push_back(run.first);
    }
    return status.ok();
  }));
  return status;
}

void BlockLog::Append(std::int64_t index, std::string_view entry) {
  LETHE_CHECK(index == open_.end());
  open_.Append(entry);
}

void BlockLog::Blank(std::int64_t index) {
  if (index < open_.first || index >= open_.end()) return;
  const std::string_view entry = open_.entry(index);
  std::memset(open_.bytes.data() + (entry.data() - open_.bytes.data()), 0, entry.size());
}

void BlockLog::DropBefore(std::int64_t index) {
  const std::int64_t keep = std::min(BlockOf(index), BlockOf(open_.first));
  if (keep <= dropped_) return;
  drops_.emplace_back(dropped_, keep);
  dropped_ = keep;
}

Result<std::string> BlockLog::Read(const Store& store, std::int64_t index) const {
  if (index >= open_.first && index < open_.end()) return std::string(open_.entry(index));
  if (index >= last_read_.first && index < last_read_.end()) {
    return std::string(last_read_.entry(index));
  }
  const std::string key = NumberKey(static_cast<std::uint64_t>(BlockOf(index)));
  const auto value = store.Get(family_, key);
  if (!value.ok()) return value.status();
  Run run;
  if (!value.value() || !Decode(*value.value(), run) || index < run.first || index >= run.end()) {
    return Damaged(family_, key);
  }
  last_read_ = std::move(run);
  return std::string(last_read_.entry(index));
}

void BlockLog::AddTo(WriteBatch& batch) {
  const auto key = [](std::int64_t index) { return NumberKey(static_cast<std::uint64_t>(index)); };
  for (const auto& [from, to] : drops_) batch.DeleteRange(family_, key(from), key(to));
  drops_.clear();
  while (open_.end() >= open_.first + block_) {
    const std::int64_t end = open_.first + block_;
    for (const std::int64_t piece : pieces_) {
      if (piece != open_.first) batch.Delete(family_, key(piece));
    }
    pieces_.clear();
    batch.Put(family_, key(open_.first), Encode(open_, open_.first, end));
    stored_ = end;
    open_.DropBefore(end);
  }
  if (stored_ < open_.end()) {
    batch.Put(family_, key(stored_), Encode(open_, stored_, open_.end()));
    pieces_.push_back(stored_);
    stored_ = open_.end();
  }
}

std::optional<std::string> BlockLog::Blanked(std::string_view value,
                                             const std::set<std::int64_t>& indices) {
  Run run;
  if (!Decode(value, run)) return std::nullopt;
  bool is_changed = false;
  for (auto index = indices.lower_bound(run.first); index != indices.end() && *index < run.end();
       ++index) {
    const std::string_view entry = run.entry(*index);
    is_changed |= !IsBlank(entry);
    std::memset(run.bytes.data() + (entry.data() - run.bytes.data()), 0, entry.size());
  }
  if (!is_changed) return std::nullopt;
  return Encode(run, run.first, run.end());
}

std::vector<Store::KeyRange> BlockLog::RangesOf(const std::set<std::int64_t>& indices) const {
  std::vector<Store::KeyRange> ranges;
  std::int64_t end = -1;  // of the last range
  for (const std::int64_t index : indices) {
    const std::int64_t first = BlockOf(index);
    if (first >= end) {
      const std::string key = NumberKey(static_cast<std::uint64_t>(first));
      if (first > end || ranges.empty()) ranges.push_back({family_, key, key});
    }
    end = std::max(end, first + block_);
    ranges.back().last = NumberKey(static_cast<std::uint64_t>(end - 1));
  }
  return ranges;
}

}  // namespace lethe
