#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/files/descriptor.hpp"

namespace tcsim::labs {

/// The folder into which the instructor has grades written. Every file in it is a new one: existing
/// files are never written to, whoever put them there.
class ResultsFolder {
 public:
  /// Opens `path`, or creates it with its parents. Throws IoError, as all members do.
  explicit ResultsFolder(const std::filesystem::path& path);

  /// The folder `name` in it, without following links; created if it does not exist.
  [[nodiscard]] ResultsFolder below(const std::string& name) const;
  /// Throws if a file of this name exists.
  void require_absent(const std::string& name) const;
  /// Writes a new file.
  void write(const std::string& name, std::string_view text) const;

 private:
  ResultsFolder(std::filesystem::path path, files::Descriptor folder);

  std::filesystem::path path_;
  files::Descriptor folder_;
};

}  // namespace tcsim::labs
