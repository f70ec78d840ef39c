#pragma once

#include <string>

#include "scripts/gpu/bits/number_format.hpp"

namespace tcsim::measure {

/// What the operands of an instruction are; `input` and `accumulator` are null for integers.
struct Instruction {
  const char* kind;  ///< mma, wgmma
  const NumberFormat* input;
  const NumberFormat* accumulator;
  int k;

  int input_bits() const { return input != nullptr ? input->bits : 8; }
  int accumulator_bits() const { return accumulator != nullptr ? accumulator->bits : 32; }
  /// "mma_f16_f32_k16", the end of the name of its file.
  std::string words() const {
    return std::string(kind) + '_' + (input != nullptr ? input->name : "s8") + '_' +
           (accumulator != nullptr ? accumulator->name : "s32") + "_k" + std::to_string(k);
  }
};

}  // namespace tcsim::measure
