#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sim/errors/errors.hpp"

namespace tcsim::report {

inline constexpr const char* kManifestFile = "manifest.json";

/// `manifest` as its file holds it.
std::string manifest_text(const nlohmann::ordered_json& manifest);

/// A target that already holds files; the message names it and the remedy. Status 2.
class DirectoryRefused : public UsageError {
 public:
  using UsageError::UsageError;
};

/// The name of a run in its files: the last element of the path of its directory.
std::string name_of_run(const std::filesystem::path& directory);

/// The directory that one run writes. The process owns it until the last copy of this is gone.
class RunDirectory {
 public:
  /// Creates `wanted`, or the next free of run-0001, run-0002, ... in the current directory. A
  /// `wanted` that holds files, but for what killed processes left unfinished, is refused
  /// (DirectoryRefused) unless `force` and there is a run of tcsim among them, whose files stay
  /// until remove_earlier_run. One in which another process works is refused in any case. Throws
  /// IoError if the directory cannot be made.
  static RunDirectory create(const std::optional<std::filesystem::path>& wanted, bool force);

  /// Creates `wanted`, or opens it to go on with what a stopped `tcsim command` left there. A
  /// directory that holds files but no run of tcsim, results of another command, or in which
  /// another process works, is refused (DirectoryRefused). Throws IoError.
  static RunDirectory resume(const std::filesystem::path& wanted, std::string_view command);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string name() const { return name_of_run(path_); }
  /// True while the run that this one replaces stands inside.
  [[nodiscard]] bool holds_earlier_run() const;
  /// Removes the files of that run, but for its manifest, which this run's has replaced by now, and
  /// those named `kept`. Files that are not a run's stay. Throws IoError.
  void remove_earlier_run(const std::set<std::string_view>& kept) const;
  /// Writes `text` to `file` inside, atomically. Throws IoError.
  void write(std::string_view file, std::string_view text) const;
  /// Writes manifest.json with the checksums of the results of this run that are inside so far, so
  /// it comes after them (sim/report/checksum.hpp). Throws IoError.
  void write_manifest(const nlohmann::ordered_json& manifest) const;

 private:
  struct Claim;

  /// Claims `path` for this process.
  explicit RunDirectory(std::filesystem::path path);

  std::filesystem::path path_;
  std::shared_ptr<Claim> claim_;
};

}  // namespace tcsim::report
