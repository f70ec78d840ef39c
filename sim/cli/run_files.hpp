#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/report/manifest.hpp"
#include "sim/report/run_directory.hpp"

namespace tcsim::cli {

/// The run directory of a command that runs several things. Its manifest says from the start what
/// was asked for, and that it is not complete until `finish` says so.
class RunFiles {
 public:
  /// Creates the directory unless the options want none. Throws as RunDirectory::create.
  RunFiles(const RunOptions& options, const std::vector<std::string>& command);

  /// Nothing if no files are wanted.
  [[nodiscard]] const std::optional<report::RunDirectory>& directory() const { return directory_; }

  /// Writes the manifest anew. `stopped_by` as Manifest::stopped_by.
  void finish(double wall_s, bool is_complete, const std::string& stopped_by);

  /// Notes in the manifest what ended the command.
  [[nodiscard]] InterruptGuard::LastWords last_words() const;

 private:
  void write_manifest() const;

  const RunOptions& options_;
  report::Manifest manifest_;
  std::optional<report::RunDirectory> directory_;
};

/// Calls `write`. What stops it (a full disk) is returned, so that a run prints what it has found
/// before it throws that; nothing if all is written.
std::exception_ptr held_back(const std::function<void()>& write);

}  // namespace tcsim::cli
