#include "sim/run/program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "sim/files/atomic_file.hpp"
#include "sim/files/descriptor.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/report/revision.hpp"

namespace tcsim::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kThisProgram = "/proc/self/exe";

/// The bytes of a file, mapped, since debug builds have hundreds of megabytes.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& file) {
    const files::Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (descriptor.is_open() && ::fstat(descriptor.number(), &status) == 0 && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      bytes_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor.number(), 0);
    }
    if (bytes_ == MAP_FAILED)
      throw IoError(file.string() + ": cannot read: " + std::strerror(errno));
  }
  ~MappedFile() { ::munmap(bytes_, size_); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view text() const { return {static_cast<const char*>(bytes_), size_}; }

 private:
  void* bytes_ = MAP_FAILED;
  std::size_t size_ = 0;
};

std::string hash_of(const fs::path& file) {
  constexpr std::size_t kNameHash = 12;
  return report::hash_text(MappedFile(file).text()).substr(0, kNameHash);
}

/// What the name of a program with the content of `file` ends in.
std::string ending_of(const fs::path& file) { return "-" + hash_of(file); }

bool is_what_it_says(const fs::path& file) {
  std::error_code none;
  return fs::symlink_status(file, none).type() == fs::file_type::regular &&
         fs::file_size(file) > 0 && file.string().ends_with(ending_of(file));
}

}  // namespace

std::string model_revision() {
  const std::string revision(report::revision());
  const bool says_all = !revision.ends_with("-dirty") && revision != "unknown";
  return says_all ? revision : revision + "+" + hash_of(kThisProgram);
}

std::string this_program_name() {
  static const std::string name = "bin/tcsim" + ending_of(kThisProgram);
  return name;
}

std::string copy_this_program(const fs::path& path) {
  std::string name = this_program_name();
  if (is_what_it_says(path / name)) return name;
  constexpr mode_t kRunByAll = 0755;
  files::write_atomically(path / name, MappedFile(kThisProgram).text(), kRunByAll);
  return name;
}

}  // namespace tcsim::run
