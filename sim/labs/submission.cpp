#include "sim/labs/submission.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tcsim::labs {
namespace {

namespace fs = std::filesystem;
using files::Descriptor;

std::string refusal_of(int reason) {
  if (reason == ENOENT) return "not handed in";
  if (reason == ELOOP) return "a symbolic link, which is not read";
  // O_DIRECTORY with O_NOFOLLOW met either.
  if (reason == ENOTDIR) return "a symbolic link or a file in place of a folder, which is not read";
  return "cannot be read";
}

/// "ada" for "ada/", which would be followed if it were a link.
fs::path without_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

/// Opens `name` below `folder`, part by part. Non-blocking, because it may be a FIFO.
Descriptor opened(int folder, const fs::path& name) {
  Descriptor at(::fcntl(folder, F_DUPFD_CLOEXEC, 0));
  for (const fs::path& part : name.parent_path()) {
    if (!at.is_open()) return at;
    at = Descriptor(
        ::openat(at.number(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!at.is_open()) return at;
  return Descriptor(::openat(at.number(), name.filename().c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

/// The whole file; nothing if it is longer than `most_bytes` or cannot be read. Its size may change
/// while it is read.
std::optional<std::string> content_of(int descriptor, std::size_t most_bytes) {
  std::string text(most_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(descriptor, &text[size], text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {};
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > most_bytes) return {};
  text.resize(size);
  return text;
}

}  // namespace

Submission::Submission(const fs::path& folder)
    : folder_(
          ::open(without_slash(folder).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {
  if (folder_.is_open()) return;
  const int reason = errno;
  std::error_code none;
  throw NoSubmission(folder, fs::is_symlink(fs::symlink_status(without_slash(folder), none))
                                 ? "a symbolic link; name the folder itself"
                                 : std::strerror(reason));
}

HandedIn Submission::read(const fs::path& name, std::size_t most_bytes) const {
  const Descriptor file = opened(folder_.number(), name);
  if (!file.is_open()) return {{}, refusal_of(errno)};
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return {{}, refusal_of(errno)};
  if (!S_ISREG(status.st_mode)) return {{}, "not a regular file, so it is not read"};
  if (status.st_nlink != 1) return {{}, "a hard link, which is not read; submit a copy"};
  std::optional<std::string> text = content_of(file.number(), most_bytes);
  if (!text) return {{}, fmt::format("longer than {} bytes, so it is not read", most_bytes)};
  return {std::move(text), ""};
}

}  // namespace tcsim::labs
