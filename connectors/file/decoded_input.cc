#include "connectors/file/decoded_input.h"

#include <cstring>
#include <utility>

#include "engine/check.h"

namespace lethe {

Result<std::unique_ptr<DecodedInput>> DecodedInput::Open(const std::string& path,
                                                         std::int64_t start) {
  auto raw = RawInput::Open(path, start);
  if (!raw.ok()) return raw.status();
  return std::unique_ptr<DecodedInput>(new DecodedInput(std::move(raw).value(), start));
}

DecodedInput::DecodedInput(std::unique_ptr<RawInput> raw, std::int64_t start)
    : name_(raw->name()), raw_(std::move(raw)), buffer_(kBufferBytes), position_(start) {}

DecodedInput::DecodedInput(std::string name, std::unique_ptr<Decoder> decoder,
                           std::size_t buffer_bytes)
    : name_(std::move(name)), decoder_(std::move(decoder)), buffer_(buffer_bytes) {}

std::optional<std::int64_t> DecodedInput::bytes_total() const {
  return raw_ ? raw_->size() : std::nullopt;
}

void DecodedInput::Consume(std::size_t count) {
  LETHE_CHECK(count <= end_ - begin_);
  begin_ += count;
  position_ += static_cast<std::int64_t>(count);
}

void DecodedInput::Reserve(std::size_t count) {
  if (buffer_.size() < count) buffer_.resize(count);
}

// Reads more behind what is pending, which may move for it.
Status DecodedInput::Fill() {
  if (decoder_ == nullptr) {
    auto decoder = MakeDecoder(*raw_);
    if (!decoder.ok()) return decoder.status();
    decoder_ = std::move(decoder).value();
  }
  if (begin_ == end_ || end_ == buffer_.size()) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  LETHE_CHECK(end_ < buffer_.size());
  const auto count = decoder_->Read({buffer_.data() + end_, buffer_.size() - end_});
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
