#include "connectors/file/decoder.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <zlib.h>
#include <zstd.h>

namespace lethe {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kGzipMagic = "\x1f\x8b"sv;
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd"sv;
// A skippable frame begins with a byte from 0x50 to 0x5f, then this.
constexpr std::string_view kSkippableMagicTail = "\x2a\x4d\x18"sv;

Status Truncated(const std::string& format) {
  return {ErrorCode::kInput, "the " + format + " data breaks off; the file is truncated"};
}

Status Corrupt(const std::string& format, const char* reason) {
  return {ErrorCode::kInput, "the " + format + " data is corrupt (" + reason + ")"};
}

class PlainDecoder final : public Decoder {
 public:
  explicit PlainDecoder(RawInput& input) : input_(input) {}

  Result<std::size_t> Read(std::span<char> out) override {
    if (input_.buffered().empty()) return input_.ReadInto(out);
    const std::size_t count = std::min(out.size(), input_.buffered().size());
    std::memcpy(out.data(), input_.buffered().data(), count);
    input_.Consume(count);
    return count;
  }

 private:
  RawInput& input_;
};

class GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(RawInput& input) : input_(input) {
    constexpr int kGzipOnly = 16;
    LETHE_CHECK(inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK);
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }

  Result<std::size_t> Read(std::span<char> out) override {
    // Bytes that came out before an error are delivered first; the error is kept in status_.
    while (status_.ok()) {
      if (input_.buffered().empty() && !input_.at_end()) LETHE_RETURN_IF_ERROR(input_.Fill());
      if (input_.buffered().empty() && !in_member_) return std::size_t{0};
      const std::size_t count = Inflate(out);
      if (count > 0) return count;
      if (in_member_ && input_.buffered().empty() && input_.at_end()) return Truncated("gzip");
    }
    return status_;
  }

 private:
  // Calls inflate once. Returns the number of bytes written.
  std::size_t Inflate(std::span<char> out) {
    if (!in_member_) LETHE_CHECK(inflateReset(&stream_) == Z_OK);
    in_member_ = true;
    const std::string_view in = input_.buffered();
    // zlib does not write to its input; its interface only lacks the const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    input_.Consume(in.size() - stream_.avail_in);
    if (result == Z_STREAM_END) {
      in_member_ = false;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      status_ = Corrupt("gzip", stream_.msg != nullptr ? stream_.msg : zError(result));
    }
    return out.size() - stream_.avail_out;
  }

  RawInput& input_;
  z_stream stream_ = {};
  bool in_member_ = false;
  Status status_;
};

class ZstdDecoder final : public Decoder {
 public:
  explicit ZstdDecoder(RawInput& input) : input_(input), context_(ZSTD_createDCtx()) {
    LETHE_CHECK(context_ != nullptr);
  }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }

  Result<std::size_t> Read(std::span<char> out) override {
    for (;;) {
      if (input_.buffered().empty() && !input_.at_end()) LETHE_RETURN_IF_ERROR(input_.Fill());
      const std::string_view in = input_.buffered();
      if (in.empty() && !in_frame_) return std::size_t{0};
      ZSTD_inBuffer source = {in.data(), in.size(), 0};
      ZSTD_outBuffer target = {out.data(), out.size(), 0};
      const std::size_t result = ZSTD_decompressStream(context_, &target, &source);
      input_.Consume(source.pos);
      if (ZSTD_isError(result) != 0) return Corrupt("Zstandard", ZSTD_getErrorName(result));
      in_frame_ = result != 0;
      if (target.pos > 0) return target.pos;
      if (in_frame_ && input_.buffered().empty() && input_.at_end()) return Truncated("Zstandard");
    }
  }

 private:
  RawInput& input_;
  ZSTD_DCtx* const context_;
  bool in_frame_ = false;
};

// Whether `bytes` begin with `magic`. A file that ends within the magic counts too, if it has at
// least `min_bytes`, so that it is reported as truncated.
bool BeginsWith(std::string_view bytes, std::string_view magic, std::size_t min_bytes) {
  return bytes.size() >= min_bytes &&
         bytes.substr(0, magic.size()) == magic.substr(0, bytes.size());
}

bool IsZstd(std::string_view bytes) {
  if (BeginsWith(bytes, kZstdMagic, 2)) return true;
  return bytes.size() >= 4 && (static_cast<unsigned char>(bytes[0]) & 0xf0u) == 0x50u &&
         bytes.substr(1, 3) == kSkippableMagicTail;
}

}  // namespace

Result<std::unique_ptr<Decoder>> MakeDecoder(RawInput& input) {
  while (input.buffered().size() < kZstdMagic.size() && !input.at_end()) {
    LETHE_RETURN_IF_ERROR(input.Fill());
  }
  std::unique_ptr<Decoder> decoder;
  if (BeginsWith(input.buffered(), kGzipMagic, 1)) {
    decoder = std::make_unique<GzipDecoder>(input);
  } else if (IsZstd(input.buffered())) {
    decoder = std::make_unique<ZstdDecoder>(input);
  } else {
    decoder = std::make_unique<PlainDecoder>(input);
  }
  return decoder;
}

}  // namespace lethe
