#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace lethe {

// Compresses a stream of bytes. The same bytes, in the same pieces, give the same result: neither a
// time nor a name is stored.
class Encoder {
 public:
  virtual ~Encoder() = default;

  // Appends to `out` what can be written by now; after the last piece, everything. Returns false
  // when the library fails, which it does for want of memory only.
  [[nodiscard]] virtual bool Encode(std::string_view piece, bool is_last, std::string& out) = 0;
};

// The encoder for the ending of a file name: .gz, .zst, or as it is.
std::unique_ptr<Encoder> MakeEncoder(std::string_view path);

}  // namespace lethe
