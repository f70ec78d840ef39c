#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cli/progress_line.hpp"
#include "sim/cli/table.hpp"
#include "sim/run/request.hpp"

namespace tcsim::cli {

/// The options of `tcsim run`, checked: what to run, and what to do with the results.
struct RunOptions {
  run::RunRequest request;
  bool is_from_file = false;       ///< --request
  std::optional<std::string> out;  ///< nothing: the next run-NNNN
  bool force = false;
  bool no_files = false;
  Format format = Format::kText;
  bool dry_run = false;  ///< only prints the expected cost
  bool quiet = false;
  bool verbose = false;
  /// How much faster each resource is to be tried, percent; nothing: --sensitivity is not given.
  std::optional<double> sensitivity_percent{};
  bool tries = false;  ///< the advice of the verdict and other tiles are simulated too
  double progress_s = kProgressSeconds;  ///< between lines where there is no terminal
  bool ascii_plots = false;              ///< roofline and timeline below the screen
};

/// The options of `tcsim run` as text, bound to a CLI11 command. Nothing is checked by CLI11, whose
/// messages neither repeat the bad word nor name the allowed ones.
class RunOptionTexts {
 public:
  /// Adds every field of a request and every option to `command`; this object must outlive it.
  explicit RunOptionTexts(CLI::App& command);

  /// Throws UsageError for the first value that is missing or wrong. `prefix` is put before
  /// the workload.
  [[nodiscard]] RunOptions checked(const std::string& prefix = "") const;

 private:
  [[nodiscard]] run::RunRequest request(const std::string& prefix) const;

  std::map<std::string, std::string> text_of_;                ///< by names of fields
  std::map<std::string, std::vector<std::string>> texts_of_;  ///< of those that may be repeated
  std::map<std::string, bool> flag_of_;
  std::string request_file_;
  std::string out_;
  std::string format_ = "text";
  std::string plot_;
  std::string sensitivity_;
  std::string progress_every_;
  bool try_ = false;
  bool force_ = false;
  bool no_files_ = false;
  bool dry_run_ = false;
  bool quiet_ = false;
  bool verbose_ = false;
};

/// Calls `act`. A mistake in a field of a request gets `command` in front: "tcsim run: --tile:
/// ...".
template <typename Act>
auto with_command(const std::string& command, Act act) {
  try {
    return act();
  } catch (const run::RequestError& error) {
    throw UsageError(command + ": " + error.what());
  }
}

/// Throws UsageError, starting with `command`, if the field `name` of a request cannot be `text`.
void check_field(const std::string& command, std::string_view name, const std::string& text);

/// What a user types for `options`, after "tcsim run".
std::vector<std::string> words_of(const RunOptions& options);

}  // namespace tcsim::cli
