#pragma once

#include <optional>
#include <string>

#include "sim/run/prepare/prepare.hpp"
#include "sim/run/prepare/unit.hpp"

namespace tcsim::run {

/// `problem` on the unit that a run of it takes. Throws NotCovered where the machine lacks the unit
/// or the formats.
Settled<kernels::ConvProblem> settled(kernels::ConvProblem problem, const PreparationOptions& asked,
                                      const config::Machine& machine);

/// The algorithm and the tile that a run takes: those of the options, else of `algorithm`, else the
/// least estimate. Throws as prepare_run does.
kernels::ConvPlan plan_of(const Settled<kernels::ConvProblem>& conv,
                          std::optional<kernels::ConvAlgorithm> algorithm);

/// Chooses algorithm and tile of `work` where they are open (or takes options.tile), generates the
/// kernels and looks up the peak. Fills in title, unit, tiles, useful operations and peak of the
/// inputs. Throws as prepare_run does.
PreparedRun prepare_conv(const workload::ConvWork& work, const PreparationOptions& options,
                         const config::Machine& machine);

/// "1", or "2x1" where the directions differ.
std::string pair_text(std::int64_t h, std::int64_t w);

/// "conv fwd 32x56x56x64 * 64x3x3 stride 1 pad 1 fp16->fp32 NHWC out fp32 post bias+relu"; without
/// an output of the usual type and without steps after the sums.
std::string conv_title(const kernels::ConvProblem& problem);

}  // namespace tcsim::run
