#include "state/store/store.h"

#include "engine/base/check.h"

namespace lethe {

const char* Name(Family family) {
  switch (family) {
    case Family::kMeta: return "meta";
    case Family::kEvents: return "events";
    case Family::kPayloads: return "payloads";
    case Family::kDeleted: return "deleted";
    case Family::kRefused: return "refused";
    case Family::kChain: return "chain";
  }
  LETHE_CHECK(false);
}

std::optional<std::string> Store::LastKey(Family family) const {
  std::optional<std::string> last;
  const Status status = Scan(family, "", [&](std::string_view key, std::string_view) {
    last = key;
    return true;
  });
  return status.ok() ? last : std::nullopt;
}

}  // namespace lethe
