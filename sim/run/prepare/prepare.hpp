#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "sim/config/load.hpp"
#include "sim/report/run_record.hpp"
#include "sim/run/prepare/power.hpp"
#include "sim/values/tensor_operation.hpp"
#include "workloads/import/workload.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::run {

/// The GEMM behind a launch.
struct PreparedGemm {
  kernels::GemmProblem problem;
  kernels::GemmTile tile;
  kernels::Target target;
};

/// A workload made ready for one machine.
struct PreparedRun {
  report::RunInputs inputs;
  std::vector<isa::KernelLaunch> launches;  ///< assembled for the machine; it can run them
  std::optional<PreparedGemm> gemm;         ///< the product among the launches, if it is one
  std::optional<values::TensorOperation> operation;  ///< what the launches compute, unless it is
                                                     ///< the product alone or a trace
  /// What the operation never reads of its input buffers or never writes of its output buffers.
  report::MinimumTraffic unused;
};

/// How the user wants a workload to run.
struct PreparationOptions {
  std::string machine;  ///< as asked for, for reports
  std::string unit;     ///< tensor, cuda-core; empty: whichever multiplies the type, tensor first
  std::string tile;     ///< empty: chosen by the cost model
  bool constant_data = false;  ///< operands do not toggle
  bool unit_is_free = true;  ///< false: not the user's to choose, so refusals do not advise --unit
  std::string way_out{};     ///< what they advise in its place: "--precision fp32"
};

/// Turns `workload` into kernels for `machine`. Throws UsageError for a wrong tile, or for a tile
/// or unit where the workload leaves no choice, NotCovered where machine or generators lack the
/// unit, the type or the operation.
PreparedRun prepare_run(const workload::Workload& workload, const PreparationOptions& options,
                        const config::MachineFile& machine);

/// The MMAs and products of warpgroups that `launches` execute, each once.
std::vector<isa::Opcode> mmas_of(const std::vector<isa::KernelLaunch>& launches);

/// True if some warp of `launch` multiplies matrices.
bool uses_tensor_cores(const isa::KernelLaunch& launch);
/// The instruction set that `machine` runs: 75 for compute capability 7.5. Throws NotCovered if the
/// machine file names none.
int sm_version_of(const config::Machine& machine);

/// "gemm 4096x512x64 fp16->fp32 NT", "trace NAME", or the words of a workload that nothing can run.
std::string title_of(const workload::Workload& workload);

}  // namespace tcsim::run
