#include "sim/mma/text_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "sim/mma/input_error.hpp"

namespace tcsim::mma {

namespace {

struct GzipCloser {
  void operator()(gzFile_s* file) const { gzclose(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, GzipCloser>;

GzipFile open(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(kUnreadable, fmt::format("{}: is a folder", path));
  errno = 0;
  GzipFile file(gzopen(path.c_str(), "rb"));
  if (!file) {
    const int code = errno != 0 ? errno : ENOMEM;
    throw InputError(kUnreadable, fmt::format("{}: cannot read: {}", path,
                                              std::generic_category().message(code)));
  }
  return file;
}

/// zlib passes plain text through and unpacks what starts as gzip.
std::string read_all(gzFile file, const std::string& path) {
  std::string text;
  std::array<char, 65536> buffer;
  while (true) {
    const int count = gzread(file, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == static_cast<int>(buffer.size())) continue;
    int code = Z_OK;
    const char* message = gzerror(file, &code);
    if (count < 0 || code != Z_OK)
      throw InputError(kUnreadable, fmt::format("{}: cannot unpack: {}", path, message));
    if (count == 0) return text;
  }
}

}  // namespace

std::vector<std::string> read_lines(const std::string& path) {
  const GzipFile file = open(path);
  const std::string text = read_all(file.get(), path);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

}  // namespace tcsim::mma
