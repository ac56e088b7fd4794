#include "state/store/memory_store.h"

namespace lethe {

Result<std::optional<std::string>> MemoryStore::Get(Family family, std::string_view key) const {
  const Rows& rows = rows_[static_cast<std::size_t>(family)];
  const auto row = rows.find(key);
  if (row == rows.end()) return std::optional<std::string>();
  return std::optional<std::string>(row->second);
}

Status MemoryStore::Scan(Family family, std::string_view first, const Visitor& visit) const {
  const Rows& rows = rows_[static_cast<std::size_t>(family)];
  for (auto row = rows.lower_bound(first); row != rows.end(); ++row) {
    if (!visit(row->first, row->second)) break;
  }
  return Status::Ok();
}

Status MemoryStore::Write(const WriteBatch& batch, bool /*sync*/) {
  for (const WriteBatch::Change& change : batch.changes()) {
    Rows& rows = rows_[static_cast<std::size_t>(change.family)];
    switch (change.kind) {
      case WriteBatch::Change::Kind::kPut: rows[change.key] = change.value; break;
      case WriteBatch::Change::Kind::kDelete: rows.erase(change.key); break;
      case WriteBatch::Change::Kind::kDeleteRange:
        rows.erase(rows.lower_bound(change.key), rows.lower_bound(change.value));
        break;
    }
  }
  return Status::Ok();
}

Status MemoryStore::Rewrite(const std::vector<KeyRange>& ranges, const Scrub& scrub) {
  for (const KeyRange& range : ranges) {
    // Only these two families have rows that a scrub may change.
    if (range.family != Family::kEvents && range.family != Family::kPayloads) continue;
    Rows& rows = rows_[static_cast<std::size_t>(range.family)];
    for (auto row = rows.lower_bound(range.first); row != rows.upper_bound(range.last); ++row) {
      if (auto changed = scrub(row->second)) row->second = *std::move(changed);
    }
  }
  return Status::Ok();
}

}  // namespace lethe
