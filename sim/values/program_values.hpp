#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/functional/mma_engine.hpp"
#include "models/functional/poll.hpp"
#include "models/isa/launch.hpp"
#include "models/numerics/result.hpp"
#include "models/numerics/tensor_arithmetic.hpp"
#include "sim/values/distribution.hpp"

namespace tcsim::values {

/// A buffer before and after the kernels have run.
struct BufferValues {
  std::string name;
  std::int64_t bytes = 0;
  std::string starts_as;       ///< "fp16": numbers drawn in that format; "zeros"; "ff": these bytes
  bool is_written = false;     ///< some instruction of the kernels writes it
  std::uint64_t checksum = 0;  ///< of all of its bytes afterwards (checksum_of)
  std::vector<std::uint32_t> first_words{};  ///< afterwards; at most four, fewer if it is smaller
};

/// What kernels have computed of which only the programs are known.
struct ProgramValues {
  std::vector<BufferValues> buffers;  ///< in the order in which the launches first name them
  std::vector<std::string> races;     ///< one sentence each; not all if there are very many
  std::int64_t racing_bytes = 0;  ///< bytes of unordered accesses, and such accesses to registers
};

/// Executes `stream`, whose launches follow each other on the same memory. There is nothing to
/// compare the results with. A buffer that is declared as an input starts with drawn numbers if a
/// launch loads it before an earlier one has stored it; the n-th such buffer, from 0, is drawn as
/// operand n of a generated kernel is, in memory order. The format is what the MMAs of that launch
/// multiply; without MMAs, or if a tensor map has elements of another size, it is the number of
/// that size, or FP32. Flags, and buffers that atomics and reductions change, start as zeros, all
/// others as bytes of ff: a NaN, or a number that no sum gives. If `engine` is given, it computes
/// the MMAs. Refusals are those of functional::execute. Polls many times a second.
numerics::Result<ProgramValues> execute_programs(
    std::span<const isa::KernelLaunch> stream, Distribution distribution, std::uint64_t seed,
    const numerics::TensorArithmetic& core, functional::MmaEngine* engine = nullptr,
    const functional::Poll& poll = [] {});

/// XXH3 of 64 bits.
std::uint64_t checksum_of(std::span<const std::uint8_t> bytes);

}  // namespace tcsim::values
