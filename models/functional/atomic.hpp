#pragma once

#include <cstdint>

#include "models/isa/opcode.hpp"

namespace tcsim::functional {

/// The value that an atomic leaves in memory: `operation` on `type` applied to `old` and `operand`.
/// CAS compares `old` with `operand` and stores `replacement` if they are equal. Values are bit
/// patterns, of 64 bits for U64, otherwise of 32. Float sums are rounded to nearest even; for F32,
/// denormal inputs and results are zeros (PTX manual, atom: on global memory .f32 flushes them;
/// .f16x2 does not).
/// Requires an operation that the instruction set has for the type.
std::uint64_t atomic_result(isa::AtomicOperation operation, isa::AtomicType type, std::uint64_t old,
                            std::uint64_t operand, std::uint64_t replacement);

}  // namespace tcsim::functional
