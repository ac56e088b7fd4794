#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/file/decoder.h"
#include "connectors/file/raw_input.h"
#include "engine/base/status.h"

namespace lethe {

// The bytes that a file or, for "-", the standard input was compressed from, with room to look
// ahead: what the readers of all forms of a recording read from. Not thread-safe.
class DecodedInput {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

  // A file that cannot be opened is a kInput error with the reason of the operating system. Nothing
  // is read before the first Fill.
  static Result<std::unique_ptr<DecodedInput>> Open(const std::string& path);

  // Bytes from elsewhere, which messages call `name`, read ahead by at most `buffer_bytes`.
  DecodedInput(std::string name, std::unique_ptr<Decoder> decoder,
               std::size_t buffer_bytes = kBufferBytes);

  // What was read and not consumed yet. Void after the next Fill or Reserve, except with holder().
  std::string_view pending() const { return {buffer().data() + begin_, end_ - begin_}; }
  // As long as a copy of this is kept, what is pending now stays where it is. It is to be let go by
  // whoever calls the others, or in turn with it.
  using Buffer = std::vector<char>;
  const std::shared_ptr<Buffer>& holder() const { return buffers_.front(); }
  void Consume(std::size_t count);

  // Adds to pending() at least one byte, until `at_end()`. There must be room: see Reserve.
  Status Fill();
  bool at_end() const { return at_end_; }

  // Makes room for `count` bytes of look-ahead in all.
  void Reserve(std::size_t count);

  // Reads until `count` bytes are pending, or all that are left.
  Status Require(std::size_t count);

  // Decoded bytes consumed so far.
  std::int64_t position() const { return position_; }

  // Bytes of the file used so far, and in total where that is known: for a display of progress.
  std::int64_t bytes_read() const { return raw_ ? raw_->position() : position_; }
  std::optional<std::int64_t> bytes_total() const;
  const std::string& name() const { return name_; }

 private:
  explicit DecodedInput(std::unique_ptr<RawInput> raw);

  Buffer& buffer() const { return *buffers_.front(); }
  bool is_held() const { return buffers_.front().use_count() > 1; }
  // Moves what is pending to the beginning of a buffer that nobody holds, and that has the size.
  void Move(std::size_t size);
  // At least so large; one that was let go, or another.
  void TakeFreeBuffer(std::size_t size);

  const std::string name_;
  const std::unique_ptr<RawInput> raw_;           // null for bytes from elsewhere
  std::unique_ptr<Decoder> decoder_;              // null until something was read
  std::vector<std::shared_ptr<Buffer>> buffers_;  // the first is the one that is read into
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t position_ = 0;
  bool at_end_ = false;
};

}  // namespace lethe
