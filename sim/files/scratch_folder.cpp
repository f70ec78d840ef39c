#include "sim/files/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include "sim/errors/errors.hpp"

namespace tcsim::files {

namespace fs = std::filesystem;

fs::path temporary_directory() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error)
    throw IoError("no folder for temporary files: " + error.message() + "; TMPDIR names it");
  return folder;
}

ScratchFolder::ScratchFolder(const fs::path& parent, const std::string& prefix) {
  std::string pattern = (parent / (prefix + "XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw IoError(pattern + ": cannot make: " + std::strerror(errno));
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void ScratchFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream file(path_ / name, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw IoError((path_ / name).string() + ": cannot write: " + std::strerror(errno));
}

void ScratchFolder::link(const std::string& name, const fs::path& target) const {
  std::error_code error;
  fs::create_directory_symlink(target, path_ / name, error);
  if (error) throw IoError((path_ / name).string() + ": cannot make: " + error.message());
}

}  // namespace tcsim::files
