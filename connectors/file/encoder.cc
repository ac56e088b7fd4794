#include "connectors/file/encoder.h"

#include <array>

#include <zlib.h>
#include <zstd.h>

#include "engine/base/check.h"

namespace lethe {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 16;

class PlainEncoder final : public Encoder {
 public:
  bool Encode(std::string_view piece, bool /*is_last*/, std::string& out) override {
    out.append(piece);
    return true;
  }
};

class GzipEncoder final : public Encoder {
 public:
  GzipEncoder() {
    constexpr int kGzip = 16;
    constexpr int kDefaultMemory = 8;
    LETHE_CHECK(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip,
                             kDefaultMemory, Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }

  bool Encode(std::string_view piece, bool is_last, std::string& out) override {
    // zlib does not write to its input; its interface only lacks the const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(chunk_.data());
      stream_.avail_out = static_cast<uInt>(chunk_.size());
      if (deflate(&stream_, is_last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) return false;
      out.append(chunk_.data(), chunk_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return true;
  }

 private:
  z_stream stream_ = {};
  std::array<char, kChunkBytes> chunk_;
};

class ZstdEncoder final : public Encoder {
 public:
  ZstdEncoder() : context_(ZSTD_createCCtx()) {
    LETHE_CHECK(context_ != nullptr);
    // Without a checksum a changed byte may go unnoticed. The command line tool writes one too.
    const std::size_t result = ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
    LETHE_CHECK(ZSTD_isError(result) == 0);
  }
  ~ZstdEncoder() override { ZSTD_freeCCtx(context_); }

  bool Encode(std::string_view piece, bool is_last, std::string& out) override {
    ZSTD_inBuffer source = {piece.data(), piece.size(), 0};
    bool is_done = false;
    while (!is_done) {
      ZSTD_outBuffer target = {chunk_.data(), chunk_.size(), 0};
      const std::size_t remaining =
          ZSTD_compressStream2(context_, &target, &source, is_last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(remaining) != 0) return false;
      out.append(chunk_.data(), target.pos);
      is_done = is_last ? remaining == 0 : source.pos == source.size;
    }
    return true;
  }

 private:
  ZSTD_CCtx* const context_;
  std::array<char, kChunkBytes> chunk_;
};

}  // namespace

std::unique_ptr<Encoder> MakeEncoder(std::string_view path) {
  if (path.ends_with(".gz")) return std::make_unique<GzipEncoder>();
  if (path.ends_with(".zst")) return std::make_unique<ZstdEncoder>();
  return std::make_unique<PlainEncoder>();
}

}  // namespace lethe
