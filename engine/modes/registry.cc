#include "engine/modes/registry.h"

namespace lethe {

#define LETHE_DECLARE_MODE(entry) extern const ModeEntry entry;
LETHE_MODES(LETHE_DECLARE_MODE)
#undef LETHE_DECLARE_MODE

namespace {

#define LETHE_LIST_MODE(entry) &entry,
constexpr const ModeEntry* kModes[] = {LETHE_MODES(LETHE_LIST_MODE)};
#undef LETHE_LIST_MODE

}  // namespace

const ModeEntry* FindMode(std::string_view name) {
  for (const ModeEntry* mode : kModes) {
    if (mode->name == name) return mode;
  }
  return nullptr;
}

std::vector<std::string> ModeNames() {
  std::vector<std::string> names;
  for (const ModeEntry* mode : kModes) names.emplace_back(mode->name);
  return names;
}

}  // namespace lethe
