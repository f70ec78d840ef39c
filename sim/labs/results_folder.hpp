#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/files/descriptor.hpp"

namespace tcsim::labs {

/// The folder into which the instructor has grades written. Every file in it is a new one: nothing
/// that lies there already is written to, whoever put it there.
class ResultsFolder {
 public:
  /// Opens `path`, or makes it with its parents. Throws IoError, as all members do.
  explicit ResultsFolder(const std::filesystem::path& path);

  /// The folder `name` in it, which follows no link; made unless it is there.
  [[nodiscard]] ResultsFolder below(const std::string& name) const;
  /// Throws if there is a file of this name.
  void require_absent(const std::string& name) const;
  /// Writes a new file.
  void write(const std::string& name, std::string_view text) const;

 private:
  ResultsFolder(std::filesystem::path path, files::Descriptor folder);

  std::filesystem::path path_;
  files::Descriptor folder_;
};

}  // namespace tcsim::labs
