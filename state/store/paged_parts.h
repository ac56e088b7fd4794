#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/ports/state.h"
#include "state/store/store.h"

namespace lethe {

// The engine's parts, in pages: a commit writes the pages that have changed and no others, so that
// a large model of which little moves, or a ledger that only grows, costs what is new. Not
// thread-safe.
class PagedParts {
 public:
  Status Load(const Store& store);

  std::optional<std::string> Get(Part part) const;
  void Put(Part part, std::string_view bytes);
  // As Put, and every page counts as changed.
  void Rewrite(Part part, std::string_view bytes);
  void Extend(Part part, std::string_view bytes);

  // Adds what has changed since the last call.
  void AddTo(WriteBatch& batch);

 private:
  struct Content {
    std::string bytes;
    std::size_t stored_pages = 0;
    std::set<std::size_t> changed;
    bool is_new_size = false;
  };

  std::map<Part, Content> parts_;
};

}  // namespace lethe
