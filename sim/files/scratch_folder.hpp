#pragma once

#include <filesystem>
#include <string>

namespace tcsim::files {

/// The system's folder for temporary files: TMPDIR, else /tmp. Throws IoError if it does not exist.
std::filesystem::path temporary_directory();

/// A new folder that only this user can access, removed with the object.
class ScratchFolder {
 public:
  /// `parent`/`prefix`XXXXXX with an unpredictable ending. Throws IoError.
  ScratchFolder(const std::filesystem::path& parent, const std::string& prefix);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file inside. Throws IoError.
  void write(const std::string& name, const std::string& text) const;
  /// Makes a link called `name` inside, to the folder `target`. Throws IoError.
  void link(const std::string& name, const std::filesystem::path& target) const;

 private:
  std::filesystem::path path_;
};

}  // namespace tcsim::files
