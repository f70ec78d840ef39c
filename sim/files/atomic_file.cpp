#include "sim/files/atomic_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "sim/files/descriptor.hpp"
#include "sim/text/hex.hpp"

namespace tcsim::files {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".writing-";
constexpr std::size_t kMarkDigits = 16;

IoError trouble(const fs::path& path, int reason) {
  return IoError{path.string() + ": cannot write: " + std::strerror(reason)};
}

/// 64 random bits in hexadecimal. Throws IoError.
std::string unforeseeable(const fs::path& target) {
  std::array<unsigned char, kMarkDigits / 2> bytes{};
  // getrandom(2) delivers so few bytes completely or not at all.
  if (::getrandom(bytes.data(), bytes.size(), 0) < 0) throw trouble(target, errno);
  std::string digits;
  for (const unsigned char byte : bytes) digits += text::hex_of(byte);
  return digits;
}

bool is_unfinished(const std::string& name) {
  if (name.size() < kMark.size() + kMarkDigits) return false;
  const std::size_t end = name.size() - kMarkDigits;
  return name.compare(end - kMark.size(), kMark.size(), kMark) == 0 &&
         name.find_first_not_of(text::kHexDigits, end) == std::string::npos;
}

/// Whether `status` is that of the file behind `descriptor`.
bool is_behind(int descriptor, const struct stat& status) {
  struct stat open {};
  return ::fstat(descriptor, &open) == 0 && open.st_dev == status.st_dev &&
         open.st_ino == status.st_ino;
}

/// Some file systems (FUSE, some network file systems) do not support fsync and report that.
bool sync(int descriptor) {
  return ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
}

// A signal handler can reach nothing but static storage, and no mutex.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic_flag open_files_lock;
ReplacementFile* open_files = nullptr;  ///< the latest, which names the next
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

/// Held while an entry, or its neighbour, is added to or removed from the list of open files.
class OpenFilesLock {
 public:
  OpenFilesLock() {
    while (open_files_lock.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  ~OpenFilesLock() { open_files_lock.clear(std::memory_order_release); }
  OpenFilesLock(const OpenFilesLock&) = delete;
  OpenFilesLock& operator=(const OpenFilesLock&) = delete;
};

}  // namespace

ReplacementFile::ReplacementFile(fs::path target, mode_t mode) : target_(std::move(target)) {
  const OpenFilesLock lock;
  open(mode);
  next_ = std::exchange(open_files, this);
}

void ReplacementFile::open(mode_t mode) {
  constexpr int kAttempts = 10;  // an existing name means a chance of 2^-64 or an attack
  for (int attempt = 0; descriptor_ < 0 && attempt < kAttempts; ++attempt) {
    neighbour_ = target_;
    neighbour_ += kMark;
    neighbour_ += unforeseeable(target_);
    descriptor_ =
        ::open(neighbour_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) fail(errno);
}

ReplacementFile::~ReplacementFile() {
  if (descriptor_ < 0) return;
  const OpenFilesLock lock;
  ::close(descriptor_);
  ::unlink(neighbour_.c_str());
  leave();
}

void ReplacementFile::leave() {
  ReplacementFile** place = &open_files;
  while (*place != this) place = &(*place)->next_;
  *place = next_;
}

void ReplacementFile::fail(int reason) const { throw trouble(target_, reason); }

void ReplacementFile::write(std::string_view bytes) {
  if (!write_all(descriptor_, bytes)) fail(errno);
}

void ReplacementFile::settle() {
  // Without this, a rename may reach the disk before the bytes, and a file on a network may be
  // lost.
  if (!sync(descriptor_)) fail(errno);
}

void ReplacementFile::finish() {
  settle();
  const OpenFilesLock lock;
  if (std::rename(neighbour_.c_str(), target_.c_str()) != 0) fail(errno);
  ::close(std::exchange(descriptor_, -1));
  leave();
}

bool abandon_files() {
  if (open_files_lock.test_and_set(std::memory_order_acquire)) return false;
  for (const ReplacementFile* file = open_files; file != nullptr; file = file->next_)
    ::unlink(file->neighbour_.c_str());
  return true;
}

void write_atomically(const fs::path& path, std::string_view text, mode_t mode) {
  ReplacementFile file(path, mode);
  file.write(text);
  file.finish();
}

void write_output(const fs::path& path, std::string_view text) {
  struct stat status {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (!is_there || !is_behind(stream, status)) continue;
    if (!write_all(stream, text)) throw trouble(path, errno);
    return;
  }
  if (!is_there || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) {
    const fs::path target = is_there && fs::is_symlink(path) ? fs::canonical(path) : path;
    constexpr mode_t kPermissions = 0777;
    write_atomically(target, text, is_there ? status.st_mode & kPermissions : kReadableByAll);
    return;
  }
  Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!descriptor.is_open() || !write_all(descriptor.number(), text) || !descriptor.close())
    throw trouble(path, errno);
}

void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open() || !sync(descriptor.number())) throw trouble(folder, errno);
}

bool holds_nothing_finished(const fs::path& folder) {
  return std::all_of(fs::directory_iterator(folder), fs::directory_iterator(),
                     [](const fs::directory_entry& entry) {
                       return is_unfinished(entry.path().filename().string());
                     });
}

void remove_unfinished(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_unfinished(entry->path().filename().string())) fs::remove(entry->path(), error);
  }
  if (error) throw IoError(folder.string() + ": cannot clear: " + error.message());
}

}  // namespace tcsim::files
