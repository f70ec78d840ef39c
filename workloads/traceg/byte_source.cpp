#include "workloads/traceg/byte_source.hpp"

#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "workloads/trace/input_error.hpp"

namespace tcsim::traceg {
namespace {

constexpr std::string_view kZstdMagic{"\x28\xb5\x2f\xfd", 4};        // RFC 8878, 3.1.1
constexpr std::string_view kXzMagic{"\xfd\x37\x7a\x58\x5a\x00", 6};  // The .xz File Format, 2.1.1.1
constexpr std::size_t kChunk = 256 * 1024;
constexpr std::uint64_t kXzMemory = 128ULL << 20;  // `xz -9` needs 65 MiB (xz manual)

class FileBytes : public ByteSource {
 public:
  explicit FileBytes(const std::string& path)
      : path_(path), file_(path == "-" ? stdin : std::fopen(path.c_str(), "rb")) {
    if (file_ == nullptr) fail("cannot open: ");
  }
  ~FileBytes() override {
    if (file_ != stdin) std::fclose(file_);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::size_t read(std::span<char> bytes) override {
    const std::size_t size = std::fread(bytes.data(), 1, bytes.size(), file_);
    if (size < bytes.size() && std::ferror(file_) != 0) fail("cannot read: ");
    return size;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputFileError(path_, what + std::strerror(errno));
  }

  std::string path_;
  std::FILE* file_;
};

class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::string bytes) : bytes_(std::move(bytes)) {}

  std::size_t read(std::span<char> bytes) override {
    const std::size_t size = bytes_.copy(bytes.data(), bytes.size(), at_);
    at_ += size;
    return size;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

/// Another source behind bytes that were read from it already.
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

/// Packed bytes on their way into a decoder.
class PackedBytes {
 public:
  explicit PackedBytes(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), chunk_(kChunk) {}

  /// What the source has next; empty at its end.
  std::span<char> next() { return std::span(chunk_).first(source_->read(chunk_)); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<char> chunk_;
};

class ZstdBytes : public ByteSource {
 public:
  ZstdBytes(std::unique_ptr<ByteSource> source, std::string name)
      : packed_(std::move(source)), name_(std::move(name)), context_(ZSTD_createDCtx()) {}

  std::size_t read(std::span<char> bytes) override {
    ZSTD_outBuffer output{bytes.data(), bytes.size(), 0};
    while (output.pos == 0) {
      if (input_.pos == input_.size) {
        const std::span<char> more = packed_.next();
        if (more.empty()) {
          if (expected_ != 0) throw InputFileError(name_, "damaged Zstandard data: cut short");
          return 0;
        }
        input_ = {more.data(), more.size(), 0};
      }
      expected_ = ZSTD_decompressStream(context_.get(), &output, &input_);
      if (ZSTD_isError(expected_) != 0) {
        throw InputFileError(
            name_, std::string("damaged Zstandard data: ") + ZSTD_getErrorName(expected_));
      }
    }
    return output.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  PackedBytes packed_;
  std::string name_;
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  std::size_t expected_ = 1;  ///< 0: a frame has ended and nothing is left of it
};

class XzBytes : public ByteSource {
 public:
  XzBytes(std::unique_ptr<ByteSource> source, std::string name)
      : packed_(std::move(source)), name_(std::move(name)) {
    check(lzma_stream_decoder(&stream_, kXzMemory, LZMA_CONCATENATED));
  }
  ~XzBytes() override { lzma_end(&stream_); }
  XzBytes(const XzBytes&) = delete;
  XzBytes& operator=(const XzBytes&) = delete;

  std::size_t read(std::span<char> bytes) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(bytes.data());
    stream_.avail_out = bytes.size();
    while (!ended_ && stream_.avail_out == bytes.size()) {
      if (stream_.avail_in == 0 && !at_end_) {
        const std::span<char> more = packed_.next();
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(more.data());
        stream_.avail_in = more.size();
        at_end_ = more.empty();
      }
      check(lzma_code(&stream_, at_end_ ? LZMA_FINISH : LZMA_RUN));
    }
    return bytes.size() - stream_.avail_out;
  }

 private:
  void check(lzma_ret status) {
    if (status == LZMA_OK) return;
    if (status == LZMA_STREAM_END) {
      ended_ = true;
      return;
    }
    throw InputFileError(name_, "damaged XZ data: " + reason(status));
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

  PackedBytes packed_;
  std::string name_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool at_end_ = false;
  bool ended_ = false;
};

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source, const std::string& name) {
  std::string front(kXzMagic.size(), '\0');
  std::size_t size = 0;
  for (std::size_t more = 1; more != 0 && size < front.size(); size += more)
    more = source->read(std::span(front).subspan(size));
  front.resize(size);
  const bool is_zstd = front.starts_with(kZstdMagic);
  const bool is_xz = front.starts_with(kXzMagic);
  auto all = std::make_unique<PutBack>(std::move(front), std::move(source));
  if (is_zstd) return std::make_unique<ZstdBytes>(std::move(all), name);
  if (is_xz) return std::make_unique<XzBytes>(std::move(all), name);
  return all;
}

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  return unpacked(std::make_unique<FileBytes>(path), path);
}

std::unique_ptr<ByteSource> open_bytes(std::string bytes, const std::string& name) {
  return unpacked(std::make_unique<MemoryBytes>(std::move(bytes)), name);
}

}  // namespace tcsim::traceg
