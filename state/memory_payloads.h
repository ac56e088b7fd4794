#pragma once

#include <cstddef>
#include <vector>

#include "engine/ports/payloads.h"

namespace lethe {

// Payloads in memory, in order of index.
class MemoryPayloads final : public Payloads {
 public:
  void Add(EventIndex index, const Example& example) override;
  void Remove(EventIndex index) override;
  void DropBefore(EventIndex index) override;
  void ForEach(const Visitor& visit) const override;
  std::int64_t count() const override { return count_; }
  std::int64_t bytes() const override { return bytes_; }

 private:
  struct Slot {
    EventIndex index;
    bool is_retained = true;
    Example example;
  };

  void Clear(Slot& slot);
  void Compact();

  std::vector<Slot> slots_;
  std::size_t first_ = 0;  // slots before it are gone
  std::int64_t count_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace lethe
