#pragma once

#include <string>
#include <vector>

#include "sim/cli/table.hpp"
#include "sim/microbench/measure.hpp"

namespace tcsim::cli {

/// Every row, without a value from the moment at which a signal arrived.
std::vector<microbench::MeasuredRow> measure_rows(const std::vector<microbench::PublishedRow>& rows,
                                                  const std::string& machine,
                                                  const std::vector<std::string>& overrides);

/// The rows of the file `table`, as measured on `machine`.
std::string measured_view(const std::string& machine, const std::string& table,
                          const std::vector<microbench::MeasuredRow>& rows, Format format);

/// What `tcsim microbench --sensitivity` is asked for.
struct VariationRequest {
  const std::vector<microbench::PublishedRow>& rows;
  const std::string& machine;
  const std::vector<std::string>& overrides;
  Format format;
};

/// Every row with `key` at half and at twice its value, beside the plain one.
std::string key_text(const VariationRequest& request, const std::string& key);

/// One line per number that the machine file calls an assumption: the rows that move most when it
/// is halved and doubled, and how many move by more than 1 % either way.
std::string assumptions_text(const VariationRequest& request);

}  // namespace tcsim::cli
