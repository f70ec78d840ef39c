#include "sim/files/packed.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <vector>

#include "sim/errors/errors.hpp"

namespace tcsim::files {

std::string zstd_packed(std::string_view text, int level) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), level);
  if (ZSTD_isError(size) != 0) throw IoError(std::string("zstd: ") + ZSTD_getErrorName(size));
  packed.resize(size);
  return packed;
}

std::string gzip_packed(std::string_view text) {
  constexpr int kGzipWindow = 15 + 16;  // the largest window, with a gzip header
  constexpr int kMemoryLevel = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw IoError("zlib cannot start");
  constexpr std::size_t kPiece = std::size_t{1} << 20;  // zlib counts only up to 32 bits
  std::vector<Bytef> input(kPiece);
  std::vector<Bytef> output(kPiece);
  std::string packed;
  int status = Z_OK;
  for (std::size_t begin = 0; status == Z_OK;) {
    const std::string_view piece = text.substr(begin, kPiece);
    begin += piece.size();
    std::ranges::copy(piece, input.begin());
    stream.next_in = input.data();
    stream.avail_in = static_cast<uInt>(piece.size());
    do {
      stream.next_out = output.data();
      stream.avail_out = static_cast<uInt>(kPiece);
      status = deflate(&stream, begin == text.size() ? Z_FINISH : Z_NO_FLUSH);
      packed.append(output.begin(), output.end() - stream.avail_out);
    } while (stream.avail_out == 0);
    if (status == Z_BUF_ERROR) status = Z_OK;  // there was nothing more to write
  }
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw IoError("zlib cannot pack it");
  return packed;
}

std::string_view without_packing(std::string_view path) {
  for (const std::string_view ending : {".xz", ".zst", ".gz"})
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  return path;
}

}  // namespace tcsim::files
