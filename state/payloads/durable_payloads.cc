#include "state/payloads/durable_payloads.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "state/format/bytes.h"
#include "state/format/keys.h"
#include "state/format/wipe.h"

namespace lethe {
namespace {

constexpr char kFirstKey[] = "w";            // in Family::kMeta
constexpr std::int64_t kHashedBytes = 2048;  // what waiting_bytes counts for hashed features

// Without the importance weight: the size is that of features and label.
std::uint32_t SizeOf(const Example& example) {
  return static_cast<std::uint32_t>(sizeof example.y +
                                    static_cast<std::size_t>(example.x.size()) * sizeof(double) +
                                    example.at.size() * sizeof example.at[0]);
}

Status Damaged(std::int64_t index) {
  return {ErrorCode::kInput, "the state is damaged: the payload of event " + std::to_string(index) +
                                 " cannot be read"};
}

// Decodes dense payloads into rows that lie side by side, kRowsToRead at a time, for a
// BlockVisitor. The features are wiped before their memory is freed.
class RowBuffer {
 public:
  ~RowBuffer() { Wipe(x_.data(), x_.size()); }

  // Memory for the features of the next row. All rows have the same length until the next Give.
  std::span<double> Next(std::size_t numbers) {
    if (x_.size() < kRowsToRead * numbers) {
      LETHE_CHECK(indices_.empty());  // all rows have one length
      Wipe(x_.data(), x_.size());     // resize moves them
      x_.resize(kRowsToRead * numbers);
    }
    numbers_ = numbers;
    return std::span(x_).subspan(indices_.size() * numbers, numbers);
  }
  // Completes the row that Next has returned.
  void Add(EventIndex index, double y, double w) {
    indices_.push_back(index);
    y_.push_back(y);
    w_.push_back(w);
  }
  bool is_full() const { return indices_.size() == kRowsToRead; }

  // Passes the rows to the visitor, and begins anew.
  void Give(const Payloads::BlockVisitor& visit) {
    if (!indices_.empty()) {
      visit({indices_, y_, std::span(x_).first(indices_.size() * numbers_), w_});
    }
    indices_.clear();
    y_.clear();
    w_.clear();
  }

 private:
  std::vector<EventIndex> indices_;
  std::vector<double> y_;
  std::vector<double> w_;
  std::vector<double> x_;
  std::size_t numbers_ = 0;  // of a row
};

}  // namespace

void DurablePayloads::Keep(std::int64_t index, std::uint32_t bytes) {
  next_ = index + 1;
  bytes_of_.push_back(bytes);
  if (bytes == 0) return;
  ++count_;
  bytes_ += bytes;
}

void DurablePayloads::Forget(std::uint32_t& bytes) {
  if (bytes == 0) return;
  --count_;
  bytes_ -= std::exchange(bytes, 0);
}

void DurablePayloads::Add(EventIndex index, const Example& example) {
  LetCopyGo();
  log_.Append(index.value, codec_.Encode(example));
  Keep(index.value, SizeOf(example));
  waiting_bytes_ += example.at.empty() ? std::int64_t{SizeOf(example)} : kHashedBytes;
  if (still_) still_->Add(index, example);
  if (bytes_ > most_still_) LetGo(still_);
}

void DurablePayloads::Remove(EventIndex index) {
  if (BytesOf(index.value) != 0) {
    Forget(bytes_of_[static_cast<std::size_t>(index.value - known_from())]);
  }
  log_.Blank(index.value);
  if (still_) still_->Remove(index);
  if (copy_) copy_->Remove(index);
}

void DurablePayloads::DropBefore(EventIndex index) {
  if (index.value <= first_) return;
  first_ = index.value;
  while (!bytes_of_.empty() && known_from() < first_) {
    Forget(bytes_of_.front());
    bytes_of_.pop_front();
  }
  log_.DropBefore(index.value);
  if (still_) still_->DropBefore(index);
  if (copy_) copy_->DropBefore(index);
}

Status DurablePayloads::Load(const std::function<bool(std::int64_t)>& is_removed) {
  const auto first = store_.Get(Family::kMeta, kFirstKey);
  if (!first.ok()) return first.status();
  if (first.value()) first_ = static_cast<std::int64_t>(KeyNumber(*first.value()));
  stored_first_ = first_;
  return log_.Load(store_, [&](const ByteBlock& rows) -> Status {
    Example example;
    for (std::int64_t index = std::max(first_, rows.first()); index < rows.end(); ++index) {
      const bool is_gone = is_removed(index) || ByteBlock::IsBlank(rows.At(index));
      if (!is_gone && !PayloadCodec::Decode(rows.At(index), example)) return Damaged(index);
      Keep(index, is_gone ? 0 : SizeOf(example));
    }
    return Status::Ok();
  });
}

// Full blocks come from the store; entries from log_.first() on come from memory, since the store
// may have them in pieces only. Stored rows may still have payloads that were removed but not
// erased, so bytes_of_ decides which entries are visited. In the end their number must be that of
// the retained payloads: a row that is missing from the store is thus noticed.
Status DurablePayloads::TryToVisit(EventIndex first, EventIndex end,
                                   const EntryVisitor& visit) const {
  LETHE_RETURN_IF_ERROR(settle_());
  Status status;
  std::int64_t seen = 0;
  const ByteBlock::Visitor visit_retained = [&](std::int64_t index, std::string_view entry) {
    if (index < first.value || index >= end.value) return;
    if (BytesOf(index) == 0 || !status.ok()) return;
    ++seen;
    status = visit({index}, entry);
  };
  const auto visit_row = [&](std::string_view key, std::string_view value) {
    const auto number = static_cast<std::int64_t>(KeyNumber(key));
    if (number >= log_.first() || number >= end.value) return false;
    if (!ByteBlock::ForEachIn(value, visit_retained) && status.ok()) status = Damaged(number);
    return status.ok();
  };
  const std::int64_t from = std::max(first.value, known_from()) / kBlock * kBlock;
  LETHE_RETURN_IF_ERROR(
      store_.Scan(Family::kPayloads, NumberKey(static_cast<std::uint64_t>(from)), visit_row));
  log_.ForEachFromFirst(visit_retained);
  LETHE_RETURN_IF_ERROR(status);
  if (seen == CountIn(first, end)) return Status::Ok();
  return {ErrorCode::kInput, "the state is damaged: payloads are missing"};
}

std::int64_t DurablePayloads::CountIn(EventIndex first, EventIndex end) const {
  if (first.value <= known_from() && end.value >= next_) return count_;
  const auto at = [this](EventIndex index) {
    return bytes_of_.begin() +
           std::clamp<std::ptrdiff_t>(index.value - known_from(), 0, std::ssize(bytes_of_));
  };
  if (first >= end) return 0;
  return std::count_if(at(first), at(end), [](std::uint32_t bytes) { return bytes != 0; });
}

void DurablePayloads::VisitEntries(EventIndex first, EventIndex end,
                                   const EntryVisitor& visit) const {
  const Status status = TryToVisit(first, end, visit);
  if (failure_.ok()) failure_ = status;
}

void DurablePayloads::ForEachIn(EventIndex first, EventIndex end, const Visitor& visit) const {
  if (still_) return still_->ForEachIn(first, end, visit);
  if (copy_) return copy_->ForEachIn(first, end, visit);
  Example example;
  VisitEntries(first, end, [&](EventIndex index, std::string_view entry) -> Status {
    if (!PayloadCodec::Decode(entry, example)) return Damaged(index.value);
    visit(index, example);
    return Status::Ok();
  });
  Wipe(example.x.data(), static_cast<std::size_t>(example.x.size()));
  Wipe(example.at.data(), example.at.size());
}

void DurablePayloads::CopyTo(MemoryPayloads& memory) const {
  ForEach([&](EventIndex index, const Example& example) { memory.Add(index, example); });
}

void DurablePayloads::LetCopyGo() {
  was_visited_ = false;
  LetGo(copy_);
}

void DurablePayloads::LetGo(std::optional<MemoryPayloads>& memory) {
  if (!memory) return;
  memory->DropBefore({next_});  // wipes all rows
  memory.reset();
}

void DurablePayloads::ForEachBlock(const BlockVisitor& visit) const {
  if (still_) return still_->ForEachBlock(visit);
  // One visit is answered from the store. A second one suggests many passes, which a copy makes
  // cheap.
  if (!copy_ && was_visited_ && bytes_ <= kMostCopied) {
    MemoryPayloads copy;
    CopyTo(copy);
    copy_ = std::move(copy);
  }
  was_visited_ = true;
  if (copy_) return copy_->ForEachBlock(visit);
  RowBuffer rows;
  VisitEntries({0}, {next_}, [&](EventIndex index, std::string_view entry) -> Status {
    const std::size_t numbers = BytesOf(index.value) / sizeof(double) - 1;
    double y = 0;
    double w = 1;
    if (!PayloadCodec::DecodeDense(entry, rows.Next(numbers), y, w)) {
      return Damaged(index.value);
    }
    rows.Add(index, y, w);
    if (rows.is_full()) rows.Give(visit);
    return Status::Ok();
  });
  rows.Give(visit);
}

void DurablePayloads::KeepInMemory(std::int64_t most_bytes) {
  most_still_ = std::max(most_still_, most_bytes);
  if (still_ || bytes_ > most_still_) return;
  LetCopyGo();
  MemoryPayloads still;
  CopyTo(still);
  still_ = std::move(still);
}

void DurablePayloads::PinInMemory() {
  KeepInMemory(std::numeric_limits<std::int64_t>::max());
  still_->PinInMemory();
}

void DurablePayloads::AddTo(WriteBatch& batch) {
  waiting_bytes_ = 0;
  log_.AddTo(batch);
  if (first_ == stored_first_) return;
  batch.Put(Family::kMeta, kFirstKey, NumberKey(static_cast<std::uint64_t>(first_)));
  stored_first_ = first_;
}

}  // namespace lethe
