#include "workloads/traceg/byte_sink.hpp"

#include <lzma.h>
#include <zstd.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/errors/errors.hpp"
#include "sim/files/atomic_file.hpp"

namespace tcsim::traceg {
namespace {

constexpr std::size_t kChunk = std::size_t{256} * 1024;
constexpr int kZstdLevel = 3;           // traces shrink some 20 times; higher levels gain little
constexpr std::uint32_t kXzPreset = 1;  // the fastest but one, for the same reason

class FileSink : public ByteSink {
 public:
  explicit FileSink(const std::string& path) : file_(path) {}

  void write(std::string_view bytes) override { file_.write(bytes); }
  void finish() override { file_.finish(); }

 private:
  files::ReplacementFile file_;
};

class ZstdSink : public ByteSink {
 public:
  explicit ZstdSink(std::unique_ptr<ByteSink> packed)
      : packed_(std::move(packed)), chunk_(kChunk), context_(ZSTD_createCCtx()) {
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void write(std::string_view bytes) override { pack(bytes, ZSTD_e_continue); }
  void finish() override {
    pack({}, ZSTD_e_end);
    packed_->finish();
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  void pack(std::string_view bytes, ZSTD_EndDirective mode) {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    std::size_t left = 1;
    while (mode == ZSTD_e_end ? left != 0 : input.pos < input.size) {
      ZSTD_outBuffer output{chunk_.data(), chunk_.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &output, &input, mode);
      if (ZSTD_isError(left) != 0) throw IoError(std::string("zstd: ") + ZSTD_getErrorName(left));
      packed_->write({chunk_.data(), output.pos});
    }
  }

  std::unique_ptr<ByteSink> packed_;
  std::vector<char> chunk_;
  std::unique_ptr<ZSTD_CCtx, Free> context_;
};

class XzSink : public ByteSink {
 public:
  explicit XzSink(std::unique_ptr<ByteSink> packed) : packed_(std::move(packed)), chunk_(kChunk) {
    check(lzma_easy_encoder(&stream_, kXzPreset, LZMA_CHECK_CRC64));
  }
  ~XzSink() override { lzma_end(&stream_); }
  XzSink(const XzSink&) = delete;
  XzSink& operator=(const XzSink&) = delete;

  void write(std::string_view bytes) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    stream_.avail_in = bytes.size();
    while (stream_.avail_in > 0) pack(LZMA_RUN);
  }
  void finish() override {
    while (pack(LZMA_FINISH) != LZMA_STREAM_END) continue;
    packed_->finish();
  }

 private:
  static lzma_ret check(lzma_ret status) {
    if (status != LZMA_OK && status != LZMA_STREAM_END)
      throw IoError("xz: the encoder failed with status " + std::to_string(status));
    return status;
  }

  lzma_ret pack(lzma_action action) {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(chunk_.data());
    stream_.avail_out = chunk_.size();
    const lzma_ret status = check(lzma_code(&stream_, action));
    packed_->write({chunk_.data(), chunk_.size() - stream_.avail_out});
    return status;
  }

  std::unique_ptr<ByteSink> packed_;
  std::vector<char> chunk_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<ByteSink> create_file(const std::string& path) {
  auto file = std::make_unique<FileSink>(path);
  if (path.ends_with(".zst")) return std::make_unique<ZstdSink>(std::move(file));
  if (path.ends_with(".xz")) return std::make_unique<XzSink>(std::move(file));
  return file;
}

}  // namespace tcsim::traceg
