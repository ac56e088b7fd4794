#pragma once

#include <string>
#include <string_view>

namespace lethe {

// Base64 as in RFC 4648, section 4, with padding.
std::string ToBase64(std::string_view bytes);

// False, and `bytes` empty, unless all of `text` is such.
[[nodiscard]] bool FromBase64(std::string_view text, std::string& bytes);

}  // namespace lethe
