#include "sim/cli/workload_preparation.hpp"

#include <cstdio>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/gemm_preparation.hpp"
#include "sim/config/peak.hpp"

namespace tcsim::cli {

PreparedRun prepare_run(const RunOptions& options, const std::string& machine_name,
                        const config::MachineFile& machine) {
  kernels::GemmProblem p;
  long long m = 0, n = 0, k = 0;
  if (std::sscanf(options.workload.c_str(), "gemm:m=%lld,n=%lld,k=%lld", &m, &n, &k) != 3)
    throw UsageError("bad");
  p.m = m;
  p.n = n;
  p.k = k;
  if (options.unit == "cuda-core") {
    p.unit = kernels::Unit::kCudaCore;
    p.input = kernels::Element::kFp32;
    p.output = p.input;
  }
  PreparedRun run = prepare_gemm(p, options.tile, machine);
  const config::Machine& params = machine.machine;
  run.inputs.machine = machine_name;
  run.inputs.workload = options.workload;
  run.inputs.effective_machine = config::canonical_text(machine);
  run.inputs.clock_mhz = params.clocks.sm_mhz;
  run.inputs.sms = params.gpu.sms;
  run.inputs.dram_peak_gb_per_s = config::dram_bandwidth(params).gb_per_s;
  run.inputs.l2_peak_bytes_per_cycle =
      config::l2_bandwidth(params).gb_per_s * 1000 / params.clocks.sm_mhz;
  return run;
}
bool is_list(const std::string& workload) { return workload.starts_with("csv:"); }
std::vector<ListRow> list_rows(const std::string&) { return {}; }
}  // namespace tcsim::cli
