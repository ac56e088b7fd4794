#include "state/store/block_log.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "state/format/bytes.h"
#include "state/format/keys.h"

namespace lethe {

template <typename Rows>
Status BlockLog<Rows>::Damaged(Family family, std::string_view key) {
  return {ErrorCode::kInput, std::string("the state is damaged: ") + Name(family) + " row " +
                                 std::to_string(KeyNumber(key)) + " cannot be read"};
}

// Rows are in order of their first index, so the log is complete if each begins where the one
// before ended. The first row may begin later than 0, but only at a block: DropBefore deletes whole
// blocks. Pieces at the end are added to the open block again, which the next AddTo may complete.
template <typename Rows>
Status BlockLog<Rows>::Load(const Store& store, const Visitor& visit) {
  Status status;
  bool is_first = true;
  Rows rows;
  LETHE_RETURN_IF_ERROR(store.Scan(family_, "", [&](std::string_view key, std::string_view value) {
    const bool is_read =
        Rows::Decode(value, rows) && KeyNumber(key) == static_cast<std::uint64_t>(rows.first());
    if (!is_read || rows.first() != (is_first ? BlockOf(rows.first()) : stored_)) {
      status = Damaged(family_, key);
      return false;
    }
    if (is_first) {
      dropped_ = rows.first();
      open_ = NewBlock(rows.first());
    }
    is_first = false;
    status = visit(rows);
    stored_ = rows.end();
    if (pieces_.empty() && rows.end() == BlockOf(rows.end())) {
      open_ = NewBlock(rows.end());
    } else {
      for (std::int64_t i = rows.first(); i < rows.end(); ++i) Add(rows.At(i));
      pieces_.push_back(rows.first());
    }
    return status.ok();
  }));
  return status;
}

template <typename Rows>
void BlockLog<Rows>::Append(std::int64_t index, const Entry& entry) {
  LETHE_CHECK(index == open_.end());
  Add(entry);
}

template <typename Rows>
void BlockLog<Rows>::Add(const Entry& entry) {
  open_.Append(entry);
  if (open_.end() < open_.first() + block_) return;
  full_.push_back(std::exchange(open_, NewBlock(open_.end())));
}

template <typename Rows>
Rows* BlockLog<Rows>::Unstored(std::int64_t index) {
  if (index < first() || index >= open_.end()) return nullptr;
  const auto block = static_cast<std::size_t>((index - first()) / block_);
  return block < full_.size() ? &full_[block] : &open_;
}

template <typename Rows>
void BlockLog<Rows>::Blank(std::int64_t index) {
  if (Rows* rows = Unstored(index)) rows->Blank(index);
}

template <typename Rows>
void BlockLog<Rows>::DropBefore(std::int64_t index) {
  const std::int64_t keep = std::min(BlockOf(index), first());
  if (keep <= dropped_) return;
  drops_.emplace_back(dropped_, keep);
  dropped_ = keep;
}

template <typename Rows>
auto BlockLog<Rows>::Read(const Store& store, std::int64_t index) const -> Result<Entry> {
  if (const Rows* rows = Unstored(index)) return rows->At(index);
  const std::int64_t block = BlockOf(index);
  if (block != last_block_) {
    last_block_ = -1;
    auto row = store.Get(family_, NumberKey(static_cast<std::uint64_t>(block)));
    if (!row.ok()) return row.status();
    last_read_ = std::move(row).value().value_or("");
    last_block_ = block;
  }
  auto entry = Rows::DecodeOne(last_read_, index);
  if (!entry) return Damaged(family_, NumberKey(static_cast<std::uint64_t>(block)));
  return *std::move(entry);
}

// A full block goes into the row of its first index, which overwrites its first piece; the other
// pieces are deleted. The entries of the open block since the last call become a new piece.
template <typename Rows>
void BlockLog<Rows>::AddTo(WriteBatch& batch) {
  const auto key = [](std::int64_t index) { return NumberKey(static_cast<std::uint64_t>(index)); };
  for (const auto& [from, to] : drops_) batch.DeleteRange(family_, key(from), key(to));
  drops_.clear();
  for (Rows& block : full_) {
    const std::int64_t first = block.first();
    for (const std::int64_t piece : pieces_) {
      if (piece != first) batch.Delete(family_, key(piece));
    }
    pieces_.clear();
    batch.Put(family_, key(first), std::move(block).Take());
    stored_ = first + block_;
  }
  full_.clear();
  if (stored_ < open_.end()) {
    batch.Put(family_, key(stored_), open_.Encode(stored_, open_.end()));
    pieces_.push_back(stored_);
    stored_ = open_.end();
  }
}

template <typename Rows>
std::vector<Store::KeyRange> BlockLog<Rows>::RangesOf(const std::set<std::int64_t>& indices) const {
  std::vector<Store::KeyRange> ranges;
  std::int64_t end = -1;  // the end of the last range
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

template class BlockLog<ByteBlock>;
template class BlockLog<EventBlock>;

namespace {

template <typename Rows>
std::optional<std::string> BlankedIn(Rows& rows, const std::set<std::int64_t>& indices) {
  bool is_changed = false;
  for (auto index = indices.lower_bound(rows.first());
       index != indices.end() && *index < rows.end(); ++index) {
    is_changed |= rows.Blank(*index);
  }
  if (!is_changed) return std::nullopt;
  return rows.Encode(rows.first(), rows.end());
}

}  // namespace

std::optional<std::string> Blanked(std::string_view value, const std::set<std::int64_t>& indices) {
  // Both kinds of row begin with the kind, the first index and the count. Most rows have no entry
  // of `indices`; this check saves decoding them.
  if (value.size() < 13) return std::nullopt;
  const auto first = NumberAt<std::int64_t>(value, 1);
  const auto next = indices.lower_bound(first);
  if (next == indices.end() || *next >= first + NumberAt<std::uint32_t>(value, 9)) {
    return std::nullopt;
  }
  if (ByteBlock bytes; ByteBlock::Decode(value, bytes)) return BlankedIn(bytes, indices);
  if (EventBlock events; EventBlock::Decode(value, events)) return BlankedIn(events, indices);
  return std::nullopt;
}

}  // namespace lethe
