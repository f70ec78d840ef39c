#pragma once

#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// What vector kernels need to know of a chip; `has_packing`: F2FP.
struct VectorUnit {
  bool has_packing = true;
  bool has_uniform_datapath = true;
};

VectorUnit vector_unit(const Target& target);

inline constexpr int kVectorSetupOps = 16;  ///< index, bounds and pointers (assumption)
inline constexpr int kVectorAddressRegisters = 16;

/// Registers that `elements` of `element` take as loaded.
int packed_registers(Element element, int elements);

/// The `elements` in registers from `packed` on as FP32 from `single` on. INT8 and 16-bit elements
/// lie densely. FP32 needs no instruction if the places are the same. 16-bit elements may lie in
/// the last of the registers that they become. Requires separate ranges otherwise.
Instructions widen(Element element, int packed, int single, int elements);

/// Element `number` of those in register `from`, as FP32 in `to`. Requires 16 bits.
isa::Instruction widened(Element element, int to, int from, int number);

/// FP32 numbers from `first` on rounded to `element` and packed in place. Requires a power of two
/// of `elements`.
Instructions narrow(Element element, const VectorUnit& unit, int first, int elements);

}  // namespace tcsim::kernels
