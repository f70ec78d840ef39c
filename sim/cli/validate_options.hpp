#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/table.hpp"

namespace tcsim::cli {

/// The options of `tcsim validate`, checked.
struct ValidateOptions {
  std::vector<std::string> files;  ///< empty: those of tests/validation
  std::string machine;             ///< empty: by the name of the GPU
  std::vector<std::string> overrides;
  std::string gpu;  ///< only rows of this GPU; empty: all
  std::string op;
  std::string dtype;
  std::string source;
  std::size_t sample = 0;  ///< rows drawn; 0: all
  std::uint64_t seed = 1;
  std::size_t tiles = 1;  ///< of each row, those that the chooser ranks first
  std::string fidelity = "cycle";
  int jobs = 1;
  std::optional<std::string> out;
  bool no_files = false;
  Format format = Format::kText;
  bool quiet = false;
};

/// The options as text, bound to a CLI11 command.
class ValidateOptionTexts {
 public:
  /// Adds every option to `command`; this object must outlive it.
  explicit ValidateOptionTexts(CLI::App& command);

  /// Throws UsageError for the first value that is wrong.
  [[nodiscard]] ValidateOptions checked() const;

 private:
  ValidateOptions options_;
  std::string sample_;
  std::string seed_;
  std::string tiles_;
  std::string jobs_;
  std::string out_;
  std::string format_ = "text";
};

}  // namespace tcsim::cli
