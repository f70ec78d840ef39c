#pragma once

#include <optional>
#include <string>

#include "models/numerics/tensor_arithmetic.hpp"

namespace tcsim::mma {

/// Words of the command line that select an arithmetic; empty means the default.
struct ArithmeticWords {
  std::string arch;           ///< volta, turing, ampere, ada, hopper. No default except `core`.
  std::string dtype;          ///< fp16, bf16, ... No default.
  std::string b_dtype;        ///< Type of b if it differs; default: dtype.
  std::string acc;            ///< fp16, fp32, fp64, int32; default: the widest of the dtype.
  std::string instr = "mma";  ///< mma, wmma, wgmma.
  std::string operation;      ///< B1: xor or and; default xor.
  bool satfinite = false;     ///< Integers.
  bool m8n8k4 = false;        ///< FP16 with mma: use that shape.
  std::optional<numerics::TensorArithmetic> core;  ///< Replaces `arch`.
};

/// The arithmetic that the words select. Throws UsageError for an unknown or contradictory word,
/// NotCovered if the generation lacks the combination.
numerics::Arithmetic find_arithmetic(const ArithmeticWords& words);

}  // namespace tcsim::mma
