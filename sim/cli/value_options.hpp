#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/values/distribution.hpp"

namespace tcsim::cli {

/// The options of `tcsim run` that concern values, checked.
struct ValueOptions {
  bool wanted = false;  ///< --values
  values::Distribution inputs = values::Distribution::kUniform;
  std::uint64_t seed = 1;
  std::string a;  ///< .npy file, empty: drawn
  std::string b;
  std::string quantize;  ///< the words of --quantize; empty: operands are integers already

  /// The options as words of a command line; nothing if values are not wanted.
  [[nodiscard]] std::vector<std::string> words() const;
};

/// The same options as text, bound to a CLI11 command.
class ValueOptionTexts {
 public:
  /// Adds the options to `command`; this object must outlive it.
  explicit ValueOptionTexts(CLI::App& command);

  /// Throws UsageError for a wrong value, or for an option that has no effect without --values.
  [[nodiscard]] ValueOptions checked() const;

 private:
  bool values_ = false;
  std::string inputs_;
  std::string seed_;
  std::string a_;
  std::string b_;
  std::string quantize_;
};

}  // namespace tcsim::cli
