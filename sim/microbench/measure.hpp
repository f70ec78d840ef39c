#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/microbench/published_table.hpp"

namespace tcsim::microbench {

/// A published figure together with the model's.
struct MeasuredRow {
  PublishedRow row;
  std::optional<double> model;  ///< nothing: `reason` states why
  std::string reason;

  /// (model - published) / published, in percent. Requires a model value.
  [[nodiscard]] double error_percent() const {
    return 100.0 * (*model - row.published) / row.published;
  }
};

/// Runs the test of `row` on `machine` (name or file) with `overrides`, and with the row's
/// overrides on top. `keep_going` is asked now and then; if it says no, the row is returned without
/// a value.
MeasuredRow measure(const PublishedRow& row, const std::string& machine,
                    const std::vector<std::string>& overrides,
                    const std::function<bool()>& keep_going);

}  // namespace tcsim::microbench
