#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace lethe {

// The families of rows that a shard's state consists of (docs/formats/state.md).
enum class Family : std::uint8_t { kMeta, kEvents, kPayloads, kDeleted, kRefused, kChain };
inline constexpr std::size_t kFamilies = 6;
const char* Name(Family family);

// Changes that happen all together or not at all.
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
  void DeleteRange(Family family, std::string first, std::string end) {
    changes_.push_back({Change::Kind::kDeleteRange, family, std::move(first), std::move(end)});
  }

  const std::vector<Change>& changes() const { return changes_; }
  bool empty() const { return changes_.empty(); }
  void Clear() { changes_.clear(); }

 private:
  std::vector<Change> changes_;
};

// Rows in order of key, in families. One user at a time.
class Store {
 public:
  // Returns false to stop.
  using Visitor = std::function<bool(std::string_view key, std::string_view value)>;

  virtual ~Store() = default;

  // kInput: what is stored is damaged.
  virtual Result<std::optional<std::string>> Get(Family family, std::string_view key) const = 0;
  // Rows from `first` on, in order.
  virtual Status Scan(Family family, std::string_view first, const Visitor& visit) const = 0;
  // Of the last row; none if there is none, or it cannot be read.
  virtual std::optional<std::string> LastKey(Family family) const;
  // With `sync`, what was written so far survives a crash of the machine.
  virtual Status Write(const WriteBatch& batch, bool sync) = 0;
  virtual std::int64_t Bytes(Family /*family*/) const { return 0; }

  // Changes the value of a row where it lies: the new one, or none to leave it as it is.
  using Scrub = std::function<std::optional<std::string>(std::string_view value)>;
  struct KeyRange {
    Family family;
    std::string first;
    std::string last;
  };
  // Everything written so far, and not needed any more, is gone from every file when this returns:
  // logs, overwritten and deleted rows, and what `scrub` takes out of rows in `ranges` of its
  // families. Rows that are written meanwhile may be scrubbed too, also a while after it has
  // returned. From any one thread.
  virtual Status Rewrite(const std::vector<KeyRange>& ranges, const Scrub& scrub) = 0;
};

}  // namespace lethe
