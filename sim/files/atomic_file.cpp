#include "sim/files/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace tcsim::files {
namespace {

/// Writes all of `text` and closes `descriptor`; false leaves the reason in errno.
bool write_and_close(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      const int reason = errno;
      ::close(descriptor);
      errno = reason;
      return false;
    }
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::close(descriptor) == 0;
}

}  // namespace

void write_atomically(const std::filesystem::path& path, std::string_view text) {
  // The process id keeps two runs that write the same file from sharing the neighbour.
  const std::string neighbour = path.string() + ".writing-" + std::to_string(::getpid());
  constexpr mode_t kReadableByAll = 0644;
  const int descriptor =
      ::open(neighbour.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadableByAll);
  if (descriptor < 0) throw IoError(path.string() + ": cannot write: " + std::strerror(errno));
  if (!write_and_close(descriptor, text) || std::rename(neighbour.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    ::unlink(neighbour.c_str());
    throw IoError(path.string() + ": cannot write: " + reason);
  }
}

}  // namespace tcsim::files
