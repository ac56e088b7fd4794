#include "app/config/config.h"

#include <algorithm>

#include "engine/base/check.h"

namespace lethe {

const char* Name(Start start) {
  switch (start) {
    case Start::kEarliest: return "earliest";
    case Start::kLatest: return "latest";
  }
  LETHE_CHECK(false);
}

bool Partitions::Contains(std::int32_t partition) const {
  switch (kind) {
    case Kind::kAll: return true;
    case Kind::kList: return std::binary_search(list.begin(), list.end(), partition);
    case Kind::kOrdinal: return partition % of == ordinal;
  }
  LETHE_CHECK(false);
}

}  // namespace lethe
