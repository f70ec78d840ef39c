#pragma once

#include <cstdint>

#include "models/numerics/block.hpp"
#include "models/numerics/generation.hpp"
#include "models/numerics/result.hpp"
#include "models/numerics/undecided.hpp"

namespace tcsim::numerics {

/// The arithmetic that a matrix instruction uses.
enum class Scheme : std::uint8_t {
  kBlocks,             ///< Chain of aligned blocks (section 2, 7).
  kFp8OnFp16Units,     ///< FP8 mma.sync on Hopper: software on FP16 blocks (section 10).
  kM8n8k4OnFp32Units,  ///< FP16 m8n8k4 since Ampere: software on CUDA cores.
  kFp64Chain,          ///< Fused multiply-adds in ascending k (section 9).
  kInteger,            ///< Exact sums on 32 bits (section 8).
  kBits,               ///< Population count of XOR or AND (section 8).
};

enum class BitOperation : std::uint8_t { kXor, kAnd };

/// In which order the blocks of a chain follow each other, and which elements each block takes.
enum class BlockOrder : std::uint8_t {
  kAscending,    ///< Neighbours along k, from the first on.
  kDescending,   ///< The same blocks, from the last on.
  kInterleaved,  ///< Block i of n takes k = i, i + n, i + 2n, ...
};

/// Key of a look-up: which generation multiplies which types into which sums. `accumulator` is the
/// type of d.
struct ArithmeticKey {
  Generation generation = Generation::kAmpere;
  InstructionKind kind = InstructionKind::kMma;
  ElementType a = ElementType::kFp16;
  ElementType b = ElementType::kFp16;
  ElementType accumulator = ElementType::kFp32;
  bool saturate = false;                            ///< Integers: `.satfinite`.
  BitOperation bit_operation = BitOperation::kXor;  ///< B1 only.
  bool m8n8k4 = false;                              ///< FP16 mma.sync: that shape, not m16n8.
  RoundingMode fp64_rounding = RoundingMode::kNearestEven;
};

/// Everything needed to compute one element of D, for mma() and the fast path.
struct Arithmetic {
  ArithmeticKey key;
  Scheme scheme = Scheme::kBlocks;
  BlockParams block;  ///< kBlocks and kFp8OnFp16Units (there with FP16 inputs).
  BlockOrder order = BlockOrder::kAscending;  ///< For the same schemes.
  UndecidedBehavior undecided;
};

/// The arithmetic of `key`. Refusal: kUnsupported with a sentence that explains why that generation
/// lacks it, or kMistake if the types cannot be combined on any generation.
Result<Arithmetic> find_arithmetic(const ArithmeticKey& key,
                                   const UndecidedBehavior& undecided = {});

}  // namespace tcsim::numerics
