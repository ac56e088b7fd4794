#pragma once

#include <string>
#include <string_view>

namespace lethe {

// Base64 of RFC 4648, section 4, with padding. Both functions are thread-safe.
std::string ToBase64(std::string_view bytes);

// Decodes `text` into `bytes`. Returns false, with `bytes` empty, unless all of `text` is Base64.
[[nodiscard]] bool FromBase64(std::string_view text, std::string& bytes);

}  // namespace lethe
