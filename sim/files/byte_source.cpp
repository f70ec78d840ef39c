#include "sim/files/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/files/decoder.hpp"

namespace tcsim::files {
namespace {

IoError trouble(const std::string& name, int code) {
  return IoError{name + ": cannot read: " + std::strerror(code)};
}

IoError too_large(const std::string& name, const FileKindInfo& kind, std::uint64_t most) {
  return IoError{name + ": cannot read: larger than " + size_text(most) + ", the most that a " +
                 std::string(kind.name) + " may have" +
                 (most < kind.bytes ? " when it is not a regular file" : "")};
}

class DescriptorBytes : public ByteSource {
 public:
  DescriptorBytes(int descriptor, std::string name)
      : name_(std::move(name)), descriptor_(descriptor) {}
  ~DescriptorBytes() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  DescriptorBytes(const DescriptorBytes&) = delete;
  DescriptorBytes& operator=(const DescriptorBytes&) = delete;

  /// The most bytes that may be read. Throws IoError for a folder, or for a regular file that is
  /// larger than its kind allows.
  [[nodiscard]] std::uint64_t allowance(const FileKindInfo& kind) {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw trouble(name_, errno);
    if (S_ISDIR(status.st_mode)) throw trouble(name_, EISDIR);
    if (kind.bytes == kUnlimited) return kUnlimited;
    if (!S_ISREG(status.st_mode)) return std::min(kind.bytes, kStreamBytes);
    if (static_cast<std::uint64_t>(status.st_size) > kind.bytes)
      throw too_large(name_, kind, kind.bytes);
    size_ = static_cast<std::size_t>(status.st_size);
    return kind.bytes;
  }

  std::size_t read(std::span<char> bytes) override {
    while (true) {
      const ssize_t size = ::read(descriptor_, bytes.data(), bytes.size());
      if (size >= 0) return static_cast<std::size_t>(size);
      if (errno != EINTR) throw trouble(name_, errno);
    }
  }
  [[nodiscard]] std::size_t size_hint() const override { return size_; }

 private:
  std::string name_;
  int descriptor_;
  std::size_t size_ = 0;
};

/// A source that delivers no more than `most` bytes.
class LimitedBytes : public ByteSource {
 public:
  LimitedBytes(std::unique_ptr<ByteSource> source, std::string name, const FileKindInfo& kind,
               std::uint64_t most)
      : source_(std::move(source)), name_(std::move(name)), kind_(kind), most_(most) {}

  std::size_t read(std::span<char> bytes) override {
    const std::size_t size = source_->read(bytes);
    given_ += size;
    if (given_ > most_) throw too_large(name_, kind_, most_);
    return size;
  }
  [[nodiscard]] std::size_t size_hint() const override { return source_->size_hint(); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string name_;
  const FileKindInfo& kind_;
  std::uint64_t most_;
  std::uint64_t given_ = 0;
};

std::unique_ptr<ByteSource> limited(std::unique_ptr<ByteSource> source, const std::string& name,
                                    const FileKindInfo& kind, std::uint64_t most) {
  if (kind.is_unpacked) source = unpacked(std::move(source), name);
  if (most == kUnlimited) return source;
  return std::make_unique<LimitedBytes>(std::move(source), name, kind, most);
}

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path, FileKind kind) {
  if (path == "-") return open_descriptor(STDIN_FILENO, "-", kind);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw trouble(path.string(), errno);
  return open_descriptor(descriptor, path.string(), kind);
}

std::unique_ptr<ByteSource> open_descriptor(int descriptor, const std::string& name,
                                            FileKind kind) {
  auto file = std::make_unique<DescriptorBytes>(descriptor, name);
  const std::uint64_t most = file->allowance(info(kind));
  return limited(std::move(file), name, info(kind), most);
}

}  // namespace tcsim::files
