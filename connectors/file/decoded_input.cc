#include "connectors/file/decoded_input.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/check.h"

namespace lethe {

Result<std::unique_ptr<DecodedInput>> DecodedInput::Open(const std::string& path) {
  auto raw = RawInput::Open(path);
  if (!raw.ok()) return raw.status();
  return std::unique_ptr<DecodedInput>(new DecodedInput(std::move(raw).value()));
}

DecodedInput::DecodedInput(std::unique_ptr<RawInput> raw)
    : name_(raw->name()), raw_(std::move(raw)), buffers_{std::make_shared<Buffer>(kBufferBytes)} {}

DecodedInput::DecodedInput(std::string name, std::unique_ptr<Decoder> decoder,
                           std::size_t buffer_bytes)
    : name_(std::move(name)),
      decoder_(std::move(decoder)),
      buffers_{std::make_shared<Buffer>(buffer_bytes)} {}

std::optional<std::int64_t> DecodedInput::bytes_total() const {
  return raw_ ? raw_->size() : std::nullopt;
}

void DecodedInput::Consume(std::size_t count) {
  LETHE_CHECK(count <= end_ - begin_);
  begin_ += count;
  position_ += static_cast<std::int64_t>(count);
}

void DecodedInput::Reserve(std::size_t count) {
  if (buffer().size() < count) Move(count);
}

void DecodedInput::Move(std::size_t size) {
  const std::string_view rest = pending();
  if (is_held()) TakeFreeBuffer(size);
  std::memmove(buffer().data(), rest.data(), rest.size());
  begin_ = 0;
  end_ = rest.size();
  if (buffer().size() < size) buffer().resize(size);
}

void DecodedInput::TakeFreeBuffer(std::size_t size) {
  const auto free = std::find_if(buffers_.begin(), buffers_.end(),
                                 [](const auto& buffer) { return buffer.use_count() == 1; });
  if (free == buffers_.end()) {
    buffers_.insert(buffers_.begin(), std::make_shared<Buffer>(size));
  } else {
    std::iter_swap(buffers_.begin(), free);
    if (buffer().size() < size) buffer().resize(size);
  }
}

// Reads into the rest of the buffer. If the buffer is full, or empty and not held, the pending
// bytes are moved first.
Status DecodedInput::Fill() {
  if (decoder_ == nullptr) {
    auto decoder = MakeDecoder(*raw_);
    if (!decoder.ok()) return decoder.status();
    decoder_ = std::move(decoder).value();
  }
  if (end_ == buffer().size() || (begin_ == end_ && !is_held())) Move(buffer().size());
  LETHE_CHECK(end_ < buffer().size());
  const auto count = decoder_->Read({buffer().data() + end_, buffer().size() - end_});
  if (!count.ok()) return count.status();
  end_ += count.value();
  at_end_ = count.value() == 0;
  return Status::Ok();
}

Status DecodedInput::Require(std::size_t count) {
  Reserve(count);
  while (pending().size() < count && !at_end_) LETHE_RETURN_IF_ERROR(Fill());
  return Status::Ok();
}

}  // namespace lethe
