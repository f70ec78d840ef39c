#include "workloads/trace/text_file.hpp"

#include <zstd.h>

#include "sim/files/atomic_file.hpp"

namespace tcsim::trace {
namespace {

constexpr int kCompressionLevel =
    9;  // text of this kind shrinks 20 to 50 times; higher levels gain little

std::string pack(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), kCompressionLevel);
  if (ZSTD_isError(size) != 0) throw IoError(std::string("zstd: ") + ZSTD_getErrorName(size));
  bytes.resize(size);
  return bytes;
}

}  // namespace

void write_text_file(const std::string& path, const std::string& text) {
  files::write_output(path, path.ends_with(".zst") ? pack(text) : text);
}

}  // namespace tcsim::trace
