#pragma once

#include <string>

#include "scripts/gpu/common/csv_file.hpp"
#include "scripts/gpu/common/program.hpp"
#include "scripts/gpu/common/statistics.hpp"

namespace tcsim::measure {

/// One measured figure.
struct Figure {
  std::string suite;  ///< mma, alu, shared, l1, l2, dram, sync, launch
  std::string test;   ///< test name of `tcsim microbench`; empty: it has no such test
  double value;
  std::string unit;
  std::string metric;  ///< latency, issue_interval, throughput, bandwidth, ...
  std::string what;    ///< instruction or level
  std::string type;
  std::string notes;
};

/// Writes every figure twice: as a row of measured figures (gpu,metric,...) and, where the
/// simulator has the test, as a row for `tcsim microbench MACHINE --table FILE`.
class Figures {
 public:
  /// `clock_mhz` is the clock of the SMs during the measurement, at which rates are compared.
  Figures(const std::string& folder, std::string gpu, int clock_mhz)
      : gpu_(std::move(gpu)),
        clock_mhz_(clock_mhz),
        measured_(folder + "/microbench.csv", {"gpu", "metric", "instruction_or_level", "dtype",
                                               "value", "unit", "source_id", "notes"}),
        table_(folder + "/microbench_table.csv",
               {"suite", "test", "published", "unit", "set", "source"}) {}

  void add(const Figure& figure) {
    stop_if_interrupted();
    const std::string clock = std::to_string(clock_mhz_);
    measured_.row({gpu_, figure.metric, figure.what, figure.type, number(figure.value), figure.unit,
                   "OWN", "clock_mhz=" + clock + (figure.notes.empty() ? "" : ";" + figure.notes)});
    if (figure.test.empty() || !(figure.value > 0)) return;
    const bool in_time = figure.unit == "GB/s" || figure.unit == "TFLOPS" || figure.unit == "us";
    table_.row({figure.suite, figure.test, number(figure.value), figure.unit,
                in_time ? "clocks.sm_mhz=" + clock : "", "OWN, " + gpu_});
  }

 private:
  std::string gpu_;
  int clock_mhz_;
  CsvFile measured_;
  CsvFile table_;
};

}  // namespace tcsim::measure
