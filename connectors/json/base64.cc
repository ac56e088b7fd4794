#include "connectors/json/base64.h"

#include <cstddef>

#include <sodium.h>

namespace lethe {

std::string ToBase64(std::string_view bytes) {
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), kVariant);
  text.pop_back();  // the NUL
  return text;
}

bool FromBase64(std::string_view text, std::string& bytes) {
  bytes.resize(text.size() / 4 * 3);
  std::size_t size = 0;
  const char* end = nullptr;
  const bool is_good =
      sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &size, &end, sodium_base64_VARIANT_ORIGINAL) == 0 &&
      end == text.data() + text.size();
  bytes.resize(is_good ? size : 0);
  return is_good;
}

}  // namespace lethe
