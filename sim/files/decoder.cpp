#include "sim/files/decoder.hpp"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace tcsim::files {
namespace {

constexpr std::string_view kZstdMagic{"\x28\xb5\x2f\xfd", 4};        // RFC 8878, 3.1.1
constexpr std::string_view kXzMagic{"\xfd\x37\x7a\x58\x5a\x00", 6};  // The .xz File Format, 2.1.1.1
constexpr std::string_view kGzipMagic{"\x1f\x8b", 2};                // RFC 1952, 2.3.1
constexpr std::size_t kChunk = std::size_t{256} * 1024;
constexpr std::uint64_t kXzMemory = 128 * kMebibyte;  // `xz -9` needs 65 MiB (xz manual)
constexpr int kLargestZstdWindow = 27;  // 2^27 bytes, the most that zstd writes without --long

/// A source preceded by bytes that have already been read from it.
class PutBack : public ByteSource {
 public:
  PutBack(std::string front, std::unique_ptr<ByteSource> rest)
      : front_(std::move(front)), rest_(std::move(rest)) {}

  std::size_t read(std::span<char> bytes) override {
    if (front_.empty()) return rest_->read(bytes);
    const std::size_t size = front_.copy(bytes.data(), bytes.size());
    front_.erase(0, size);
    return size;
  }

 private:
  std::string front_;
  std::unique_ptr<ByteSource> rest_;
};

/// Feeds packed bytes to a decoder. Limits how many times larger they may become.
class Decoder : public ByteSource {
 public:
  Decoder(std::unique_ptr<ByteSource> source, std::string name)
      : source_(std::move(source)), name_(std::move(name)), chunk_(kChunk) {}

  std::size_t read(std::span<char> bytes) final {
    const std::size_t size = decode(bytes);
    given_ += size;
    if (given_ > kFreeBytes && given_ / kMostUnpacking > taken_)
      fail("unpacks to more than " + std::to_string(kMostUnpacking) + " times its size");
    return size;
  }

 protected:
  /// The next bytes of the source; empty at its end.
  std::span<char> next() {
    const std::span<char> bytes = std::span(chunk_).first(source_->read(chunk_));
    taken_ += bytes.size();
    return bytes;
  }
  [[noreturn]] void fail(const std::string& reason) const {
    throw IoError(name_ + ": cannot unpack: " + reason);
  }

 private:
  virtual std::size_t decode(std::span<char> bytes) = 0;

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::vector<char> chunk_;
  std::uint64_t taken_ = 0;
  std::uint64_t given_ = 0;
};

class ZstdDecoder : public Decoder {
 public:
  ZstdDecoder(std::unique_ptr<ByteSource> source, std::string name)
      : Decoder(std::move(source), std::move(name)), context_(ZSTD_createDCtx()) {
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kLargestZstdWindow);
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  std::size_t decode(std::span<char> bytes) override {
    ZSTD_outBuffer output{bytes.data(), bytes.size(), 0};
    while (output.pos == 0) {
      if (input_.pos == input_.size) {
        const std::span<char> more = next();
        if (more.empty()) {
          if (expected_ != 0) fail("damaged Zstandard data: cut short");
          return 0;
        }
        input_ = {more.data(), more.size(), 0};
      }
      expected_ = ZSTD_decompressStream(context_.get(), &output, &input_);
      if (ZSTD_isError(expected_) != 0)
        fail(std::string("damaged Zstandard data: ") + ZSTD_getErrorName(expected_));
    }
    return output.pos;
  }

  std::unique_ptr<ZSTD_DCtx, Free> context_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  std::size_t expected_ = 1;  ///< 0: a frame has ended and no data follows
};

class XzDecoder : public Decoder {
 public:
  XzDecoder(std::unique_ptr<ByteSource> source, std::string name)
      : Decoder(std::move(source), std::move(name)) {
    check(lzma_stream_decoder(&stream_, kXzMemory, LZMA_CONCATENATED));
  }
  ~XzDecoder() override { lzma_end(&stream_); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;

 private:
  std::size_t decode(std::span<char> bytes) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(bytes.data());
    stream_.avail_out = bytes.size();
    while (!ended_ && stream_.avail_out == bytes.size()) {
      if (stream_.avail_in == 0 && !at_end_) {
        const std::span<char> more = next();
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(more.data());
        stream_.avail_in = more.size();
        at_end_ = more.empty();
      }
      check(lzma_code(&stream_, at_end_ ? LZMA_FINISH : LZMA_RUN));
    }
    return bytes.size() - stream_.avail_out;
  }

  void check(lzma_ret status) {
    if (status == LZMA_OK) return;
    if (status == LZMA_STREAM_END) {
      ended_ = true;
      return;
    }
    fail("damaged XZ data: " + reason(status));
  }

  static std::string reason(lzma_ret status) {
    switch (status) {
      case LZMA_BUF_ERROR:
        return "cut short";
      case LZMA_MEMLIMIT_ERROR:
        return "unpacking it takes more than 128 MiB";
      case LZMA_OPTIONS_ERROR:
        return "options that this liblzma does not know";
      case LZMA_MEM_ERROR:
        return "out of memory";
      default:
        return "bad checksum or structure";
    }
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool at_end_ = false;
  bool ended_ = false;
};

class GzipDecoder : public Decoder {
 public:
  GzipDecoder(std::unique_ptr<ByteSource> source, std::string name)
      : Decoder(std::move(source), std::move(name)) {
    constexpr int kGzipOnly = 16;  // zlib.h: added to the size of the window
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) fail("out of memory");
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

 private:
  std::size_t decode(std::span<char> bytes) override {
    stream_.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream_.avail_out = static_cast<uInt>(std::min(bytes.size(), kChunk));
    const uInt room = stream_.avail_out;
    while (stream_.avail_out == room) {
      if (stream_.avail_in == 0) {
        const std::span<char> more = next();
        if (more.empty()) {
          if (!is_between_members_) fail("damaged gzip data: cut short");
          return 0;
        }
        stream_.next_in = reinterpret_cast<Bytef*>(more.data());
        stream_.avail_in = static_cast<uInt>(more.size());
      }
      if (is_between_members_) inflateReset(&stream_);  // consecutive members are one file
      const int status = inflate(&stream_, Z_NO_FLUSH);
      is_between_members_ = status == Z_STREAM_END;
      if (status != Z_OK && status != Z_STREAM_END)
        fail(std::string("damaged gzip data: ") +
             (stream_.msg == nullptr ? "bad structure" : stream_.msg));
    }
    return room - stream_.avail_out;
  }

  z_stream stream_{};
  bool is_between_members_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source, const std::string& name) {
  std::string front(kXzMagic.size(), '\0');
  std::size_t size = 0;
  for (std::size_t more = 1; more != 0 && size < front.size(); size += more)
    more = source->read(std::span(front).subspan(size));
  front.resize(size);
  const std::string magic = front;
  auto all = std::make_unique<PutBack>(std::move(front), std::move(source));
  if (magic.starts_with(kZstdMagic)) return std::make_unique<ZstdDecoder>(std::move(all), name);
  if (magic.starts_with(kXzMagic)) return std::make_unique<XzDecoder>(std::move(all), name);
  if (magic.starts_with(kGzipMagic)) return std::make_unique<GzipDecoder>(std::move(all), name);
  return all;
}

}  // namespace tcsim::files
