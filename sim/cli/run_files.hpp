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

  /// Removes the earlier run. Comes before the first result is written to the directory.
  void begin_results() const;
  /// Rewrites the manifest unless an earlier run is still there. `stopped_by` as
  /// Manifest::stopped_by.
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
