#include "workloads/trace/text_file.hpp"

#include <zstd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "sim/files/atomic_file.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::trace {
namespace {

constexpr std::string_view kMagic{"\x28\xb5\x2f\xfd", 4};  // RFC 8878, 3.1.1
constexpr std::size_t kLargestText = std::size_t{4} << 30;
constexpr int kCompressionLevel =
    9;  // text of this kind shrinks 20 to 50 times; higher levels gain little

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

std::string pack(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), kCompressionLevel);
  if (ZSTD_isError(size) != 0) throw InputFileError("zstd", ZSTD_getErrorName(size));
  bytes.resize(size);
  return bytes;
}

std::string unpack(const std::string& bytes, const std::string& file_name) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  std::string text;
  std::string chunk(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  std::size_t expected = 1;
  while (input.pos < input.size || expected != 0) {
    ZSTD_outBuffer output{chunk.data(), chunk.size(), 0};
    const std::size_t before = input.pos;
    expected = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(expected) != 0) {
      throw InputFileError(file_name,
                           std::string("damaged Zstandard data: ") + ZSTD_getErrorName(expected));
    }
    text.append(chunk, 0, output.pos);
    if (text.size() > kLargestText) throw InputFileError(file_name, "larger than 4 GiB unpacked");
    if (input.pos == before && output.pos == 0 && expected != 0) {
      throw InputFileError(file_name, "damaged Zstandard data: cut short");
    }
  }
  return text;
}

std::string read_text_file(const std::string& path) {
  const File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) throw InputFileError(path, std::string("cannot open: ") + std::strerror(errno));
  std::string bytes;
  std::array<char, 65536> chunk{};
  for (std::size_t size = 0; (size = std::fread(chunk.data(), 1, chunk.size(), file.get())) > 0;) {
    bytes.append(chunk.data(), size);
    if (bytes.size() > kLargestText) throw InputFileError(path, "larger than 4 GiB");
  }
  if (std::ferror(file.get()) != 0) {
    throw InputFileError(path, std::string("cannot read: ") + std::strerror(errno));
  }
  return bytes.starts_with(kMagic) ? unpack(bytes, path) : bytes;
}

void write_text_file(const std::string& path, const std::string& text) {
  files::write_output(path, path.ends_with(".zst") ? pack(text) : text);
}

}  // namespace tcsim::trace
