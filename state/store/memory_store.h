#pragma once

#include <array>
#include <map>

#include "state/store/store.h"

namespace lethe {

// A Store in memory, for simulations of crashes: a copy of it is what a disk holds at that moment.
// Not thread-safe. It owns its rows. No call fails, and `sync` means nothing.
class MemoryStore final : public Store {
 public:
  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override;
  Status Scan(Family family, std::string_view first, const Visitor& visit) const override;
  Status Write(const WriteBatch& batch, bool sync) override;
  Status Rewrite(const std::vector<KeyRange>& ranges, const Scrub& scrub) override;

 private:
  using Rows = std::map<std::string, std::string, std::less<>>;

  std::array<Rows, kFamilies> rows_;
};

}  // namespace lethe
