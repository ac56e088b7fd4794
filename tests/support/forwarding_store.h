#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "state/store/store.h"

namespace lethe {

// A store that hands every call to another one, for tests that change or count a single kind of
// call. Borrows the other store. As thread-safe as that one.
class ForwardingStore : public Store {
 public:
  explicit ForwardingStore(Store& store) : store_(store) {}

  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override {
    return store_.Get(family, key);
  }
  Status Scan(Family family, std::string_view first, const Visitor& visit) const override {
    return store_.Scan(family, first, visit);
  }
  Status Write(const WriteBatch& batch, bool sync) override { return store_.Write(batch, sync); }
  Status Rewrite(const std::vector<KeyRange>& ranges, const Scrub& scrub) override {
    return store_.Rewrite(ranges, scrub);
  }

 private:
  Store& store_;
};

}  // namespace lethe
