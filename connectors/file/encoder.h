#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace lethe {

// A compressor of a stream of bytes. The same bytes in the same pieces give the same result:
// neither a time nor a name is stored. Not thread-safe.
class Encoder {
 public:
  virtual ~Encoder() = default;

  // Compresses a piece and appends the output that is ready; after the last piece, all of it.
  // Returns false when the library fails, which happens only without memory; the stream is then
  // lost.
  [[nodiscard]] virtual bool Encode(std::string_view piece, bool is_last, std::string& out) = 0;
};

// An encoder chosen by the ending of a file name: .gz, .zst, or no compression.
std::unique_ptr<Encoder> MakeEncoder(std::string_view path);

}  // namespace lethe
