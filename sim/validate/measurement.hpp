#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/validate/gpu_names.hpp"
#include "sim/validate/source.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::validate {

/// One measured time and how to simulate it.
struct Measurement {
  std::string file;
  int line = 0;
  std::string gpu;  ///< as the file names it
  GpuModel model;
  std::string op;
  std::string dtype;     ///< of operands
  std::string acc;       ///< of sums; empty where the operation has none to choose
  std::string workload;  ///< words that `tcsim run` takes
  /// The same for further runs whose times are added: the passes of attention_fwd_bwd.
  std::vector<std::string> further;
  std::string unit;            ///< tensor, cuda-core
  std::string tile;            ///< as `--tile` takes it where the row names one; else empty
  bool library_chose = false;  ///< a library chose that tile, not the measurer
  std::string source;
  SourceTraits traits;
  std::string not_scored;     ///< why the source's time cannot be compared; empty: it can
  bool locked_clock = false;  ///< measured at a fixed clock, which model.overrides names
  double time_us = 0;
  double flop = 0;  ///< of all runs
};

/// A row that cannot be scored.
struct SkippedRow {
  std::string file;
  int line = 0;
  std::string reason;  ///< the same words for the same reason, so that they can be counted
};

/// How many of `rows` there are for each reason.
std::map<std::string, int> by_reason(const std::vector<SkippedRow>& rows);

struct MeasurementList {
  std::vector<Measurement> rows;
  std::vector<SkippedRow> skipped;
};

/// "gemm", "conv_fwd", "attention_fwd", "attention_decode", "attention_bwd" or the name of a vector
/// operation.
/// Requires a workload of one operation.
std::string operation_of(const workload::Workload& row);

/// The operands' type of such a workload.
kernels::Element element_of(const workload::Workload& row);

/// The rows of `file` in the columns
/// gpu,op,dtype_in,dtype_acc,params,time_us,tflops,clock_mhz_if_known,source_id,notes.
/// read_sources states how the times of each source were taken. Throws tcsim::InputError for
/// a malformed list or a missing column, IoError for a file that cannot be read,
/// config::ConfigError for mistakes in a file of sources.
MeasurementList read_measurements(const std::string& file, const GpuNames& names);

/// "under 10 us", "10-300 us", "above 300 us".
std::string_view size_class(double time_us);

}  // namespace tcsim::validate
