#include "sim/labs/results_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/errors/errors.hpp"

namespace tcsim::labs {
namespace {

namespace fs = std::filesystem;

IoError trouble(const fs::path& path, int reason) {
  return IoError(path.string() + ": " +
                 (reason == EEXIST ? "exists; name a folder without earlier results with -o"
                                   : std::string("cannot write: ") + std::strerror(reason)));
}

}  // namespace

ResultsFolder::ResultsFolder(const fs::path& path) : path_(path), folder_(-1) {
  std::error_code error;
  fs::create_directories(path, error);
  folder_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) throw trouble(path, errno);
}

ResultsFolder::ResultsFolder(fs::path path, int descriptor)
    : path_(std::move(path)), folder_(descriptor) {}

ResultsFolder::ResultsFolder(ResultsFolder&& other) noexcept
    : path_(std::move(other.path_)), folder_(std::exchange(other.folder_, -1)) {}

ResultsFolder::~ResultsFolder() {
  if (folder_ >= 0) ::close(folder_);
}

ResultsFolder ResultsFolder::below(const std::string& name) const {
  constexpr mode_t kAll = 0777;  // less what the umask takes
  if (::mkdirat(folder_, name.c_str(), kAll) != 0 && errno != EEXIST)
    throw trouble(path_ / name, errno);
  const int folder =
      ::openat(folder_, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) throw trouble(path_ / name, errno);
  return {path_ / name, folder};
}

void ResultsFolder::require_absent(const std::string& name) const {
  struct stat status {};
  if (::fstatat(folder_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
    throw trouble(path_ / name, EEXIST);
}

void ResultsFolder::write(const std::string& name, std::string_view text) const {
  constexpr mode_t kReadableByAll = 0644;
  const int file = ::openat(folder_, name.c_str(),
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kReadableByAll);
  if (file < 0) throw trouble(path_ / name, errno);
  bool good = true;
  while (good && !text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    good = count >= 0 || errno == EINTR;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  const int reason = errno;
  const bool closed = ::close(file) == 0;
  if (good && closed) return;
  ::unlinkat(folder_, name.c_str(), 0);
  throw trouble(path_ / name, good ? errno : reason);
}

}  // namespace tcsim::labs
