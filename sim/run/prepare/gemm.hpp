#pragma once

#include <string>

#include "sim/run/prepare/prepare.hpp"
#include "sim/run/prepare/unit.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::run {

/// `problem` on the unit that a run of it takes, which for packed weights is tensor cores unless
/// `asked` names one. Throws NotCovered where the machine lacks the unit or the formats.
Settled<kernels::GemmProblem> settled(kernels::GemmProblem problem, const PreparationOptions& asked,
                                      const config::Machine& machine);

/// The tile that a run takes: that of the options, else the one chosen. Throws as prepare_run does.
kernels::GemmTile tile_of(const Settled<kernels::GemmProblem>& product);

/// Chooses the tile of `asked` (or takes options.tile), generates the kernel and looks up the
/// peak. Fills in title, unit, tile, useful operations and peak of the inputs. Throws as
/// prepare_run does.
PreparedRun prepare_gemm(const kernels::GemmProblem& asked, const PreparationOptions& options,
                         const config::Machine& machine);

/// "gemm 4096x512x64 fp16->fp32 NT"; a batch follows the sizes as "x8", an output of an unusual
/// type the layouts as " out fp32".
std::string gemm_title(const kernels::GemmProblem& problem);

}  // namespace tcsim::run
