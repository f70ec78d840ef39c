#pragma once

#include <string>

#include "sim/run/prepare/prepare.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::run {

/// Chooses the tile of `problem` (or takes options.tile), generates the kernel and looks up the
/// peak. Fills in title, unit, tile, useful operations and peak of the inputs. Throws as
/// prepare_run does.
PreparedRun prepare_gemm(kernels::GemmProblem problem, const PreparationOptions& options,
                         const config::Machine& machine);

/// "gemm 4096x512x64 fp16->fp32 NT"; a batch follows the sizes as "x8".
std::string gemm_title(const kernels::GemmProblem& problem);

}  // namespace tcsim::run
