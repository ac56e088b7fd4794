#pragma once

namespace lethe {

inline constexpr char kVersion[] = LETHE_VERSION;

}  // namespace lethe
