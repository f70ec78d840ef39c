#include "sim/sweep/running.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>

#include "sim/files/read_file.hpp"

namespace tcsim::sweep {
namespace {

std::string file_of(const Folder& folder, const Point& point) {
  return (folder.path() / "running" / point.key).string();
}

long long seconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

bool is_locked(const std::string& file) {
  const files::Descriptor descriptor(
      ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return descriptor.is_open() && ::flock(descriptor.number(), LOCK_SH | LOCK_NB) != 0 &&
         errno == EWOULDBLOCK;
}

/// Whether `file` is still the name of what `descriptor` has open.
bool is_name_of(const files::Descriptor& descriptor, const std::string& file) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor.number(), &open) == 0 && ::lstat(file.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// Removes what is at `file` unless a process has it locked; then it returns false. Throws IoError.
bool remove_leftover(const std::string& file) {
  const files::Descriptor descriptor(
      ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!descriptor.is_open() && errno == ENOENT) return true;
  if (descriptor.is_open()) {
    if (::flock(descriptor.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    // Only who has the lock of a mark removes it, so nobody removes that of its successor.
    if (!is_name_of(descriptor, file)) return true;
  }
  if (::unlink(file.c_str()) != 0 && errno != ENOENT)
    throw IoError(file + ": cannot remove: " + std::strerror(errno));
  return true;
}

/// A new `file` that this process has locked, or nothing if another process has one. Throws
/// IoError.
files::Descriptor taken(const std::string& file) {
  constexpr mode_t kReadableByAll = 0644;
  // A new file: one that is there may be a link to what is none of ours.
  for (;;) {
    files::Descriptor descriptor(
        ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kReadableByAll));
    if (!descriptor.is_open()) {
      if (errno != EEXIST) throw IoError(file + ": cannot write: " + std::strerror(errno));
      if (!remove_leftover(file)) return files::Descriptor();
      continue;
    }
    // Waits for who only looks whether it is locked, and may have taken it for a leftover.
    ::flock(descriptor.number(), LOCK_EX);
    if (is_name_of(descriptor, file)) return descriptor;
    return files::Descriptor();
  }
}

/// Nothing if the point has ended meanwhile, which takes its mark away.
std::optional<std::string> mark_in(const std::string& file) {
  try {
    return files::read_file(file, files::FileKind::kRun);
  } catch (const IoError&) {
    return std::nullopt;
  }
}

}  // namespace

RunningMark::RunningMark(const Folder& folder, const Point& point)
    : file_(file_of(folder, point)), descriptor_(taken(file_)), is_ours_(descriptor_.is_open()) {
  if (!is_ours_) return;
  const std::string text =
      std::to_string(seconds_now()) + " " + std::to_string(::getpid()) + " " + host_name() + "\n";
  if (!files::write_all(descriptor_.number(), text))
    throw IoError(file_ + ": cannot write: " + std::strerror(errno));
}

RunningMark::~RunningMark() {
  if (is_ours_) ::unlink(file_.c_str());
}

std::vector<RunningPoint> running_points(const Folder& folder) {
  std::vector<RunningPoint> running;
  std::set<std::string> keys;
  for (const Point& point : folder.plan().points) {
    const std::string file = file_of(folder, point);
    if (!keys.insert(point.key).second || !is_locked(file)) continue;
    RunningPoint entry{&point, "", 0, 0};
    long long since = 0;
    const std::optional<std::string> mark = mark_in(file);
    if (!mark) continue;
    std::istringstream text(*mark);
    if (text >> since >> entry.process >> entry.host)
      entry.seconds = static_cast<double>(std::max(0LL, seconds_now() - std::max(0LL, since)));
    running.push_back(entry);
  }
  return running;
}

}  // namespace tcsim::sweep
