#pragma once

#include <cstdint>

#include "models/isa/opcode.hpp"

namespace tcsim::functional {

/// What an atomic leaves in memory: `operation` on `type` with `old` there and `operand`, which CAS
/// compares with and then stores `replacement`. Values are patterns, of 64 bits for U64, else of
/// 32. Float sums are rounded to nearest even, those of F32 with denormals as zeros on both sides
/// (PTX manual, atom: on global memory .f32 flushes them; .f16x2 does not).
/// Requires an operation that the instruction set has for the type.
std::uint64_t atomic_result(isa::AtomicOperation operation, isa::AtomicType type, std::uint64_t old,
                            std::uint64_t operand, std::uint64_t replacement);

}  // namespace tcsim::functional
