#include "sim/files/read_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace tcsim::files {
namespace {

constexpr std::size_t kStepBytes = std::size_t{1} << 20;

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

IoError trouble(const std::filesystem::path& path, int code) {
  return IoError{path.string() + ": cannot read: " + std::strerror(code)};
}

}  // namespace

std::vector<std::uint8_t> read_file(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) throw trouble(path, errno);
  std::vector<std::uint8_t> bytes;
  while (true) {
    const std::size_t had = bytes.size();
    bytes.resize(had + kStepBytes);
    const std::size_t count = std::fread(&bytes[had], 1, kStepBytes, file.get());
    bytes.resize(had + count);
    if (count == kStepBytes) continue;
    if (std::ferror(file.get()) != 0) throw trouble(path, errno);
    return bytes;
  }
}

}  // namespace tcsim::files
