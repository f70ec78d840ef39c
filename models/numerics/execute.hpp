#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/numerics/fragment.hpp"
#include "models/numerics/instruction.hpp"
#include "models/numerics/sparsity.hpp"

namespace tcsim::numerics {

/// Register images of one instruction. A register image is lane-major: all registers of lane 0,
/// then of lane 1, ...; Fragment::registers_per_lane() says how many.
struct MmaOperands {
  std::span<const std::uint32_t> a;
  std::span<const std::uint32_t> b;         ///< mma.
  std::span<const std::uint64_t> b_matrix;  ///< wgmma: K x N patterns, row-major.
  std::span<const std::uint32_t> c;
  std::span<const std::uint32_t> metadata;  ///< Sparse: one register for each lane.
  int selector = 0;                         ///< Sparse: sparsity selector of the instruction.
};

/// Executes one matrix instruction on the registers of a warp or warpgroup: gathers the matrices
/// from the fragments, computes every element of D with the arithmetic of the generation, scatters.
///
///   const auto executor = MmaExecutor::create(instruction, Generation::kAmpere);
///   const std::vector<std::uint32_t> d = executor.value().execute(operands).value();
class MmaExecutor {
 public:
  /// Refusals: those of arithmetic_of.
  static Result<MmaExecutor> create(const MmaInstruction& instruction, Generation generation,
                                    const UndecidedBehavior& undecided = {});

  /// The register image of D. Refusal kMistake: metadata without meaning, or a selector out of
  /// range. Requires images of the right size.
  Result<std::vector<std::uint32_t>> execute(const MmaOperands& operands) const;

  const MmaInstruction& instruction() const { return instruction_; }
  const Arithmetic& arithmetic() const { return arithmetic_; }

 private:
  using Patterns = std::vector<std::uint64_t>;

  MmaExecutor(const MmaInstruction& instruction, const Arithmetic& arithmetic);

  Patterns gather(const Fragment& fragment, std::span<const std::uint32_t> image, int matrix) const;
  std::vector<std::uint32_t> execute_dense(const MmaOperands& operands) const;
  Result<std::vector<std::uint32_t>> execute_sparse(const MmaOperands& operands) const;
  std::uint64_t accumulator(const Fragment& c, std::span<const std::uint32_t> image,
                            MatrixPosition position) const;

  MmaInstruction instruction_;
  Arithmetic arithmetic_;
};

}  // namespace tcsim::numerics
