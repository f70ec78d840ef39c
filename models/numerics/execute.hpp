#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/numerics/fast_mma.hpp"
#include "models/numerics/instruction.hpp"
#include "models/numerics/register_map.hpp"
#include "models/numerics/sparsity.hpp"

namespace tcsim::numerics {

/// Register images of one instruction. A register image is lane-major: all registers of lane 0,
/// then of lane 1, ...; Fragment::registers_per_lane() gives their number.
struct MmaOperands {
  std::span<const std::uint32_t> a;
  std::span<const std::uint32_t> b;         ///< mma.
  std::span<const std::uint32_t> b_matrix;  ///< wgmma: K x N patterns, row-major.
  std::span<const std::uint32_t> c;
  std::span<const std::uint32_t> metadata;  ///< Sparse: one register per lane.
  int selector = 0;                         ///< Sparse: sparsity selector of the instruction.
};

/// Executes one matrix instruction on the registers of a warp or warpgroup: gathers the matrices
/// from the fragments, computes every element of D with the arithmetic of the core, and scatters D.
/// Dense floating-point instructions take the fast path. Holds scratch memory: use one per host
/// thread.
///
///   auto executor = MmaExecutor::create(instruction, Generation::kAmpere).value();
///   const std::vector<std::uint32_t> d = executor.execute(operands).value();
class MmaExecutor {
 public:
  enum class Path : std::uint8_t { kFastWhereCovered, kPlain };

  /// Refusals: those of arithmetic_of.
  static Result<MmaExecutor> create(const MmaInstruction& instruction, const TensorArithmetic& core,
                                    const UndecidedBehavior& undecided = {},
                                    Path path = Path::kFastWhereCovered);

  /// The register image of D. Refusal kMistake: invalid metadata, or a selector out of range.
  /// Requires images of the right size.
  Result<std::vector<std::uint32_t>> execute(const MmaOperands& operands);

  const MmaInstruction& instruction() const { return instruction_; }
  const Arithmetic& arithmetic() const { return arithmetic_; }
  /// Where the elements of A are, [m][k].
  const RegisterMap& a_map() const { return a_map_; }

 private:
  using Patterns = std::vector<std::uint64_t>;

  MmaExecutor(const MmaInstruction& instruction, const Arithmetic& arithmetic, bool fast);

  void execute_fast(const MmaOperands& operands, int matrix, std::span<std::uint32_t> d);
  void execute_plain(const MmaOperands& operands, int matrix, std::span<std::uint32_t> d);
  Result<std::vector<std::uint32_t>> execute_sparse(const MmaOperands& operands);
  void gather_plain(const MmaOperands& operands, int matrix);

  MmaInstruction instruction_;
  Arithmetic arithmetic_;
  bool fast_;
  RegisterMap a_map_;  ///< [m][k], so that a vector along k is contiguous.
  RegisterMap b_map_;  ///< [n][k]
  RegisterMap c_map_;  ///< [n][m], as the fast path needs it.
  RegisterMap d_map_;  ///< [n][m]

  std::vector<std::uint32_t> a_words_;
  std::vector<std::uint32_t> b_words_;
  std::vector<std::uint32_t> sums_;
  OperandPanel rows_;
  OperandPanel columns_;
  Patterns a_patterns_;
  Patterns b_patterns_;
  Patterns d_patterns_;
};

}  // namespace tcsim::numerics
