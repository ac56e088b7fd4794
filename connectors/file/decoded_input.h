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

// A buffered input of the decompressed bytes of a file or, for "-", of the standard input, with
// look-ahead. The readers of all forms of a recording read from it. Not thread-safe. After an error
// of Fill or Require the bytes that are pending stay valid, but the input must not be filled again.
class DecodedInput {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

  // kInput, with the reason of the operating system, when the file cannot be opened. Nothing is
  // read before the first Fill.
  static Result<std::unique_ptr<DecodedInput>> Open(const std::string& path);

  // An input of the bytes of `decoder`, which error messages call `name`. It looks ahead by at most
  // `buffer_bytes` unless Reserve asks for more.
  DecodedInput(std::string name, std::unique_ptr<Decoder> decoder,
               std::size_t buffer_bytes = kBufferBytes);

  // The bytes that were read and not consumed. Invalid after the next Fill, Reserve or Require,
  // unless a copy of holder() is kept.
  std::string_view pending() const { return {buffer().data() + begin_, end_ - begin_}; }
  // The buffer that pending() points into. As long as a copy of this pointer is kept, these bytes
  // stay where they are, also after they are consumed. Dropping the copy must not run at the same
  // time as another call of this object, because the number of owners decides whether a buffer is
  // reused.
  using Buffer = std::vector<char>;
  const std::shared_ptr<Buffer>& holder() const { return buffers_.front(); }
  void Consume(std::size_t count);

  // Adds at least one byte to pending(), or sets at_end(). The buffer must have room for it
  // (Reserve). Errors are those of Decoder::Read.
  Status Fill();
  bool at_end() const { return at_end_; }

  // Makes room for `count` pending bytes in total.
  void Reserve(std::size_t count);

  // Reads until `count` bytes are pending, or fewer at the end. The caller checks which.
  Status Require(std::size_t count);

  // The number of decompressed bytes consumed so far.
  std::int64_t position() const { return position_; }

  // For a progress display: bytes of the file used so far, and its size if that is known.
  std::int64_t bytes_read() const { return raw_ ? raw_->position() : position_; }
  std::optional<std::int64_t> bytes_total() const;
  const std::string& name() const { return name_; }

 private:
  explicit DecodedInput(std::unique_ptr<RawInput> raw);

  Buffer& buffer() const { return *buffers_.front(); }
  bool is_held() const { return buffers_.front().use_count() > 1; }
  // Moves the pending bytes to the beginning of a buffer of at least this size that is not held.
  void Move(std::size_t size);
  // Makes a buffer of at least this size the current one: one that is not held any more, or a new
  // one.
  void TakeFreeBuffer(std::size_t size);

  const std::string name_;
  const std::unique_ptr<RawInput> raw_;           // null if the decoder was given
  std::unique_ptr<Decoder> decoder_;              // null until the first Fill
  std::vector<std::shared_ptr<Buffer>> buffers_;  // the first is the current one
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t position_ = 0;
  bool at_end_ = false;
};

}  // namespace lethe
