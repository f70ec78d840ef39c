#pragma once

#include <string>

#include "scripts/gpu/common/csv_file.hpp"
#include "scripts/gpu/common/program.hpp"
#include "scripts/gpu/common/statistics.hpp"

namespace tcsim::measure {

/// Figures for which the simulator has no test of the same name, in a separate table.
class Rows {
 public:
  Rows(const std::string& path, std::string gpu)
      : gpu_(std::move(gpu)), file_(path, {"gpu", "metric", "what", "value", "unit", "notes"}) {}

  void add(const std::string& metric, const std::string& what, double value, const char* unit,
           const std::string& notes = "") {
    stop_if_interrupted();
    file_.row({gpu_, metric, what, number(value), unit, notes});
  }

 private:
  std::string gpu_;
  CsvFile file_;
};

}  // namespace tcsim::measure
