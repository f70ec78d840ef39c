#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "sim/sweep/folder.hpp"

namespace tcsim::sweep {

/// 12 digits of the hash of this program's content. Throws files::IoError.
std::string hash_of_this_program();

/// Copies this program into the folder at `path` unless it is there whole. Returns its name
/// relative to the folder, which ends in 12 digits of the hash of its content. Throws
/// files::IoError.
std::string copy_this_program(const std::filesystem::path& path);

/// The program of a folder, watched: no result of another one may be taken for one of it.
class Program {
 public:
  /// Throws FolderRefused if its content is not what its name states.
  explicit Program(const Folder& folder);

  /// Whether the file is still the one that was checked.
  [[nodiscard]] bool intact() const;
  /// Puts it back if this process runs the same program. Throws FolderRefused if it does not,
  /// files::IoError.
  void restore();

 private:
  [[nodiscard]] struct stat file_status() const;

  const Folder& folder_;
  std::filesystem::path file_;
  struct stat checked_ {};
};

}  // namespace tcsim::sweep
