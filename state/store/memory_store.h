#pragma once

#include <array>
#include <map>

#include "state/store/store.h"

namespace lethe {

// Rows in memory, for simulations: it can be copied, which is what a disk holds at a crash.
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
