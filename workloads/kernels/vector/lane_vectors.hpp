#pragma once

#include <string>

#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// The chip features that vector kernels depend on.
struct VectorUnit {
  bool has_packing = true;  ///< F2FP converts two FP32 at once (Ampere and later)
};

VectorUnit vector_unit(const Target& target);

inline constexpr int kVectorSetupOps = 16;  ///< index, bounds and pointers (assumption)
inline constexpr int kVectorAddressRegisters = 16;

/// Registers that `elements` of `element` take in loaded form.
int packed_registers(Element element, int elements);

/// Converts the `elements` in registers from `packed` on to FP32 from `single` on. INT8 and 16-bit
/// elements are packed densely. FP32 needs no instruction if the places are the same. 16-bit
/// elements may be in the last of the registers that they become. Otherwise requires separate
/// ranges.
Instructions widen(Element element, int packed, int single, int elements);

/// Converts element `number` of those in register `from` to FP32 in `to`. Requires 16 bits.
isa::Instruction widened(Element element, int to, int from, int number);

/// Why `narrow` has no instructions for `elements` numbers at once on a machine with `features`, in
/// one sentence; empty if it has.
std::string why_not_narrow(Element element, int elements, const Features& features);

/// Rounds FP32 numbers from `first` on to `element` and packs them in place. Requires `elements` to
/// be a power of two, and why_not_narrow to be empty.
Instructions narrow(Element element, const VectorUnit& unit, int first, int elements);

}  // namespace tcsim::kernels
