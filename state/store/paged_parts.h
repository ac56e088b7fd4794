#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/ports/state.h"
#include "state/store/store.h"

namespace lethe {

// The engine's parts (see Part), kept in memory and stored in pages. A commit writes the changed
// pages only, so a large model that changes little, or a ledger that only grows, costs what is new.
// Not thread-safe. It owns the bytes; the store is borrowed for Load only. Only Load can fail;
// after an error the object must not be used.
class PagedParts {
 public:
  // Reads all parts. kInput: the pages of a part do not have the size that was stored.
  Status Load(const Store& store);

  // A copy of a part; none if it was never put.
  std::optional<std::string> Get(Part part) const;
  // Replaces a part. Pages that differ from the old ones count as changed.
  void Put(Part part, std::string_view bytes);
  // Replaces a part. Every page counts as changed, so that the set of pages written says nothing.
  void Rewrite(Part part, std::string_view bytes);
  // Appends to a part, which may be new.
  void Extend(Part part, std::string_view bytes);

  // Adds all changes since the last call to the batch, which the caller must then write.
  void AddTo(WriteBatch& batch);

 private:
  struct Content {
    std::string bytes;
    std::size_t stored_pages = 0;   // as of the last AddTo
    std::set<std::size_t> changed;  // pages, since the last AddTo
    bool is_new_size = false;
  };

  std::map<Part, Content> parts_;
};

}  // namespace lethe
