#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "sim/errors/errors.hpp"
#include "sim/sweep/folder.hpp"

namespace tcsim::sweep {

FolderLock::FolderLock(const std::filesystem::path& folder, Kind kind) {
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "lock").string();
  constexpr mode_t kReadableByAll = 0644;
  descriptor_ = files::Descriptor(
      ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kReadableByAll));
  if (!descriptor_.is_open()) throw IoError(file + ": cannot open: " + std::strerror(errno));
  const int operation = kind == Kind::kAlone ? LOCK_EX : LOCK_SH;
  if (::flock(descriptor_.number(), operation | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) throw IoError(file + ": cannot lock: " + std::strerror(errno));
  throw FolderRefused(folder.string() +
                      ": another tcsim sweep works in this folder; wait for it, stop it, or "
                      "choose another folder with -o");
}

}  // namespace tcsim::sweep
