#pragma once

#include "sim/cli/workload_preparation.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::cli {

/// Chooses the tile of `problem` on `machine` (or takes `tile`, as --tile writes it), generates and
/// assembles the kernel and looks up the peak. Fills in all of the inputs but the name of the
/// machine and the workload's words. Throws UsageError for a wrong tile, NotCovered if the machine
/// cannot run the problem.
PreparedRun prepare_gemm(const kernels::GemmProblem& problem, const std::string& tile,
                         const config::MachineFile& machine);

/// "4096x512x64 fp16->fp32 NT", with "x batch" in front of the types where there are several.
std::string gemm_title(const kernels::GemmProblem& problem);

/// "fp16", the word of workloads and machine files.
std::string_view element_name(kernels::Element element);

}  // namespace tcsim::cli
