#pragma once

#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// The opcode that converts INT32 to FP32.
isa::Opcode real_of_integer_opcode(bool has_packing);

/// The opcode that packs two FP32 as 16-bit numbers: BF16 if `element` is BF16, otherwise FP16.
isa::Opcode packing_opcode(Element element);

/// The opcode that adds registers of `accumulate`, element by element.
isa::Opcode adding_opcode(Element accumulate);

/// registers [first, first + count) += registers [other, other + count).
Instructions add_registers(Element accumulate, int first, int other, int count);

/// registers [result, result + count) = alpha * registers [first, first + count), with alpha = 1;
/// INT32 is not multiplied. `exchange` also exchanges the registers of each pair.
Instructions scale_registers(Element accumulate, int first, int result, int count, bool exchange);

/// Makes the FP32 numbers [singles, singles + elements) from the sums from register `first` on.
/// FP32 and INT32 sums require singles == first. FP16 sums are two to a register, which must not
/// overlap `singles`.
Instructions to_singles(Element accumulate, int first, int singles, int elements, bool has_packing);

/// How accumulators become elements of D.
struct OutputConversion {
  Element accumulate;
  Element output;
  bool has_packing;    ///< F2FP and F2IP convert two FP32 at once (Ampere on)
  bool swapped_pairs;  ///< elements 2j and 2j + 1 lie in each other's registers

  /// Converts the `elements` (a power of two) accumulators from register `first` on, in place. INT8
  /// and E4M3, from FP32, are rounded to nearest even and saturate; their number is even.
  [[nodiscard]] Instructions convert(int first, int elements) const;
};

}  // namespace tcsim::kernels
