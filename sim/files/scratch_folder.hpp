#pragma once

#include <filesystem>
#include <string>

namespace tcsim::files {

/// Where the system has temporary files: TMPDIR, else /tmp. Throws IoError if there is no such
/// folder.
std::filesystem::path temporary_directory();

/// A new folder of this user alone, gone with the object.
class ScratchFolder {
 public:
  /// `parent`/`prefix`XXXXXX with an unforeseeable end. Throws IoError.
  ScratchFolder(const std::filesystem::path& parent, const std::string& prefix);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file inside. Throws IoError.
  void write(const std::string& name, const std::string& text) const;
  /// Makes `name` inside a link to the folder `target`. Throws IoError.
  void link(const std::string& name, const std::filesystem::path& target) const;

 private:
  std::filesystem::path path_;
};

}  // namespace tcsim::files
