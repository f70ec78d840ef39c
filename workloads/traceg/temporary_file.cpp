#include "workloads/traceg/temporary_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "sim/errors/errors.hpp"
#include "sim/files/scratch_folder.hpp"

namespace tcsim::traceg {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

/// Throws IoError for `errno`; if another folder may not have that error, the message says how to
/// choose one.
[[noreturn]] void fail(const std::string& what) {
  constexpr std::array kOfFolder{ENOSPC, EDQUOT, EACCES, EPERM, EROFS, ENOENT, ENOTDIR};
  const bool is_of_folder = std::ranges::find(kOfFolder, errno) != kOfFolder.end();
  throw IoError(what + ": " + std::strerror(errno) +
                (is_of_folder ? "; TMPDIR names the folder" : ""));
}

}  // namespace

TemporaryFile::TemporaryFile() {
  std::string path = (files::temporary_directory() / "tcsim-XXXXXX").string();
  descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(path + ": cannot create");
  ::unlink(path.c_str());
  buffer_.reserve(kBuffer);
}

TemporaryFile::~TemporaryFile() { ::close(descriptor_); }

void TemporaryFile::append(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void TemporaryFile::flush() {
  for (std::size_t done = 0; done < buffer_.size();) {
    const ssize_t size = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (size < 0 && errno != EINTR)
      fail("temporary file: cannot write, " + std::to_string(written_) + " bytes in");
    if (size > 0) done += static_cast<std::size_t>(size);
  }
  written_ += buffer_.size();
  buffer_.clear();
}

std::size_t TemporaryFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (true) {
    const ssize_t size =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (size >= 0) return static_cast<std::size_t>(size);
    if (errno != EINTR) fail("temporary file: cannot read");
  }
}

}  // namespace tcsim::traceg
