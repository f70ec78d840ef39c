#pragma once

#include "models/numerics/arithmetic.hpp"

namespace tcsim::numerics {

/// Products of `input` with itself.
inline ArithmeticKey key_of(Generation generation, InstructionKind kind, ElementType input,
                            ElementType accumulator) {
  return {
      .generation = generation, .kind = kind, .a = input, .b = input, .accumulator = accumulator};
}

}  // namespace tcsim::numerics
