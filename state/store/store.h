#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace lethe {

// The tables of a shard's state (docs/formats/state.md). Each has its own keys, in their own order.
enum class Family : std::uint8_t { kMeta, kEvents, kPayloads, kDeleted, kRefused, kChain };
inline constexpr std::size_t kFamilies = 6;
const char* Name(Family family);

// A list of changes that a store applies in order and atomically. It owns its keys and values. Not
// thread-safe. A later change of a key overrides an earlier one.
class WriteBatch {
 public:
  struct Change {
    enum class Kind : std::uint8_t { kPut, kDelete, kDeleteRange };
    Kind kind;
    Family family;
    std::string key;
    std::string value;  // kDeleteRange: the first key that stays
  };

  void Put(Family family, std::string key, std::string value) {
    changes_.push_back({Change::Kind::kPut, family, std::move(key), std::move(value)});
  }
  void Delete(Family family, std::string key) {
    changes_.push_back({Change::Kind::kDelete, family, std::move(key), {}});
  }
  // Deletes the rows in [first, end).
  void DeleteRange(Family family, std::string first, std::string end) {
    changes_.push_back({Change::Kind::kDeleteRange, family, std::move(first), std::move(end)});
  }

  const std::vector<Change>& changes() const { return changes_; }
  bool empty() const { return changes_.empty(); }
  void Clear() { changes_.clear(); }

 private:
  std::vector<Change> changes_;
};

// The port of a transactional key-value store: rows in order of key, in families. Threads: one
// thread calls Write; one thread at a time calls Rewrite, which may be another one; Get, Scan and
// LastKey may run beside both if the implementation says so. Ownership: a store owns its files and
// must outlive everything that was given a reference to it. Failure: kInput means that stored data
// is damaged or missing; kDisk means that the disk refused. After an error of Write or Rewrite the
// caller must stop writing; reading stays possible.
class Store {
 public:
  // Receives a row, borrowed for the call. Returns false to stop the scan.
  using Visitor = std::function<bool(std::string_view key, std::string_view value)>;

  virtual ~Store() = default;

  // The value of a row; none if there is no such row.
  virtual Result<std::optional<std::string>> Get(Family family, std::string_view key) const = 0;
  // Visits the rows with a key of `first` or later, in order. Ok also if the visitor stopped it.
  virtual Status Scan(Family family, std::string_view first, const Visitor& visit) const = 0;
  // The key of the last row; none if the family is empty or cannot be read. This default scans all.
  virtual std::optional<std::string> LastKey(Family family) const;
  // Applies a batch. When it returns ok, the batch survives a crash of the process; with `sync`,
  // this batch and all before it survive a crash of the machine. After an error it is unknown
  // whether the batch was applied.
  virtual Status Write(const WriteBatch& batch, bool sync) = 0;
  // The size of a family on disk and in the store's buffers, estimated; 0 if it is not known.
  virtual std::int64_t Bytes(Family /*family*/) const { return 0; }

  // Maps the value of a row to its new value; none leaves the row as it is. It is called from any
  // thread of the store, also after Rewrite has returned, so it must own everything it refers to.
  using Scrub = std::function<std::optional<std::string>(std::string_view value)>;
  // Both keys are included. Two empty keys stand for the whole family, which only kMeta supports.
  struct KeyRange {
    Family family;
    std::string first;
    std::string last;
  };
  // Erases obsolete bytes physically. When it returns ok, no file has an overwritten or deleted row
  // of `ranges`, the log has nothing written before the call, and `scrub` was applied to every row
  // of `ranges` in kEvents and kPayloads. Rows written during the call may be scrubbed too. After
  // an error nothing is known to be gone, and the caller may try again.
  virtual Status Rewrite(const std::vector<KeyRange>& ranges, const Scrub& scrub) = 0;
};

}  // namespace lethe
