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

ResultsFolder::ResultsFolder(const fs::path& path) : path_(path) {
  std::error_code error;
  fs::create_directories(path, error);
  folder_ = files::Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.is_open()) throw trouble(path, error ? error.value() : errno);
}

ResultsFolder::ResultsFolder(fs::path path, files::Descriptor folder)
    : path_(std::move(path)), folder_(std::move(folder)) {}

ResultsFolder ResultsFolder::below(const std::string& name) const {
  constexpr mode_t kAll = 0777;  // less the bits that the umask removes
  if (::mkdirat(folder_.number(), name.c_str(), kAll) != 0 && errno != EEXIST)
    throw trouble(path_ / name, errno);
  files::Descriptor folder(
      ::openat(folder_.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open()) throw trouble(path_ / name, errno);
  return {path_ / name, std::move(folder)};
}

void ResultsFolder::require_absent(const std::string& name) const {
  struct stat status {};
  if (::fstatat(folder_.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
    throw trouble(path_ / name, EEXIST);
}

void ResultsFolder::write(const std::string& name, std::string_view text) const {
  constexpr mode_t kReadableByAll = 0644;
  files::Descriptor file(::openat(folder_.number(), name.c_str(),
                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                  kReadableByAll));
  if (!file.is_open()) throw trouble(path_ / name, errno);
  if (files::write_all(file.number(), text) && file.close()) return;
  const int reason = errno;
  ::unlinkat(folder_.number(), name.c_str(), 0);
  throw trouble(path_ / name, reason);
}

}  // namespace tcsim::labs
