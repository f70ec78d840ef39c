#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/errors/errors.hpp"

namespace tcsim::report {

/// A target that holds files already; the message names it and the way out. Status 2.
class DirectoryRefused : public UsageError {
 public:
  using UsageError::UsageError;
};

/// The directory that one run writes.
class RunDirectory {
 public:
  /// Creates `wanted`, or the next free of run-0001, run-0002, ... in the current directory. A
  /// `wanted` that holds files is refused (DirectoryRefused) unless `force`; then the files of an
  /// earlier run there are removed, others stay. Throws IoError if the directory cannot be
  /// made.
  static RunDirectory create(const std::optional<std::filesystem::path>& wanted, bool force);

  /// Creates `wanted`, or opens it to go on with what a stopped command left there. A directory
  /// that holds files but no manifest.json is refused (DirectoryRefused). Throws IoError.
  static RunDirectory resume(const std::filesystem::path& wanted);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Last element of the path, the name of the run in its files.
  [[nodiscard]] std::string name() const;
  /// Writes `text` to `file` inside, atomically. Throws IoError.
  void write(std::string_view file, std::string_view text) const;
  /// Writes manifest.json with the checksums of the results that stand inside by now, so it comes
  /// after them (sim/report/checksum.hpp). Throws IoError.
  void write_manifest(const nlohmann::ordered_json& manifest) const;

 private:
  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace tcsim::report
