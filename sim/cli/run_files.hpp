#pragma once

#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/report/manifest.hpp"
#include "sim/report/result_files.hpp"
#include "sim/report/run_directory.hpp"

namespace tcsim::cli {

/// The run directory of a command. From the start its manifest holds the request, marked as
/// incomplete until `finish`. An earlier run that it replaces stays until there are results, so a
/// command that ends before that removes nothing.
class RunFiles {
 public:
  using ManifestMaker = std::function<nlohmann::ordered_json(const report::Manifest&)>;

  /// Creates the directory unless the options want none. Throws as RunDirectory::create. The
  /// manifest is that of a command that runs several things.
  RunFiles(const RunOptions& options, const std::vector<std::string>& command);
  /// The same with the manifest that `json_of` makes.
  RunFiles(const RunOptions& options, const std::vector<std::string>& command,
           ManifestMaker json_of);

  /// Nothing if no files are wanted.
  [[nodiscard]] const std::optional<report::RunDirectory>& directory() const { return directory_; }

  [[nodiscard]] const report::Manifest& manifest() const { return manifest_; }

  /// The files of the results, which take the place of an earlier run when they are published.
  /// Requires a directory. Throws IoError.
  [[nodiscard]] report::ResultFiles results() const;
  /// Puts the manifest in the place of an earlier run, and removes the rest of that; for a command
  /// whose results appear in the directory one by one. Throws IoError.
  void replace_earlier_run() const;

  /// Notes how the command ended. `stopped_by` as Manifest::stopped_by.
  void note_end(double wall_s, bool is_complete, const std::string& stopped_by);
  /// The manifest as its file holds it, but for checksums.
  [[nodiscard]] nlohmann::ordered_json manifest_json() const { return json_of_(manifest_); }
  /// Notes that too, and rewrites the manifest unless an earlier run is still there.
  void finish(double wall_s, bool is_complete, const std::string& stopped_by);

  /// Notes in the manifest what ended the command.
  [[nodiscard]] InterruptGuard::LastWords last_words() const;

 private:
  void write_manifest() const;

  ManifestMaker json_of_;
  report::Manifest manifest_;
  std::optional<report::RunDirectory> directory_;
};

/// Calls `write`. Returns the error that stopped it (a full disk), so that a run can print its
/// results before it throws that; nothing if everything was written.
std::exception_ptr held_back(const std::function<void()>& write);

}  // namespace tcsim::cli
