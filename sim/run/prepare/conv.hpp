#pragma once

#include <string>

#include "sim/run/prepare/prepare.hpp"

namespace tcsim::run {

/// Chooses algorithm and tile of `work` where they are open (or takes options.tile), generates the
/// kernels and looks up the peak. Fills in title, unit, tiles, useful operations and peak of the
/// inputs. Throws as prepare_run does.
PreparedRun prepare_conv(workload::ConvWork work, const PreparationOptions& options,
                         const config::Machine& machine);

/// "1", or "2x1" where the directions differ.
std::string pair_text(std::int64_t h, std::int64_t w);

/// "conv fwd 32x56x56x64 * 64x3x3 stride 1 pad 1 fp16->fp32 NHWC".
std::string conv_title(const kernels::ConvProblem& problem);

}  // namespace tcsim::run
