#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/functional/global_memory.hpp"
#include "models/functional/mma_engine.hpp"
#include "models/functional/poll.hpp"
#include "models/functional/race_detector.hpp"
#include "models/numerics/result.hpp"
#include "models/numerics/tensor_arithmetic.hpp"

namespace tcsim::functional {

/// Findings of a run apart from the values, which are in the global memory.
struct ExecutionResult {
  static constexpr std::size_t kMostRaces = 1000;

  std::vector<Race> races;        ///< in order of CTAs, at most kMostRaces
  std::int64_t racing_bytes = 0;  ///< sum of Race::bytes over all races, including those left out
};

/// Executes the launches of `stream` for their values, one after the other and CTA after CTA, on
/// `memory`, with the arithmetic of `core`. A race does not end the run, but the values may then
/// differ from those of the hardware. Refusals, with a sentence that names the kernel and, if there
/// is one, the instruction by CTA, warp and address: kMistake for a launch that isa::validate
/// rejects, a `memory` made for other launches, overlapping buffers, an address that is out of
/// range or misaligned, warps that wait at different barriers, or warps that wait forever;
/// kUnsupported for an opcode whose values are not modelled, an MMA that its generation lacks, or a
/// guard that splits a warp-wide instruction. The memory then holds what was stored so far. If
/// `engine` is given, it computes the matrix instructions; its refusals end the run. Polls before
/// each cluster of CTAs.
numerics::Result<ExecutionResult> execute(
    std::span<const isa::KernelLaunch> stream, const numerics::TensorArithmetic& core,
    GlobalMemory& memory, MmaEngine* engine = nullptr, const Poll& poll = [] {});
numerics::Result<ExecutionResult> execute(const isa::KernelLaunch& launch,
                                          const numerics::TensorArithmetic& core,
                                          GlobalMemory& memory, MmaEngine* engine = nullptr);

}  // namespace tcsim::functional
