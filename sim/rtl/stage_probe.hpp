#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/numerics/block.hpp"
#include "sim/rtl/divergence.hpp"
#include "sim/rtl/matrix_unit.hpp"
#include "sim/rtl/signal.hpp"

namespace tcsim::rtl {

/// The model's values for one element of one pass.
struct ElementModel {
  std::vector<numerics::BlockTrace> traces;  ///< Floating-point operations: one for each block.
  std::vector<std::int64_t> integer_terms;   ///< INT8: products, then c.
  std::uint64_t pattern = 0;
};

/// The cuts of a block in order. Cut 0 of a unit holds the operands; block b has cuts 4b + 1 to
/// 4b + 4.
enum class Cut : int { kTerms, kAligned, kSum, kResult };
inline constexpr int kCutsOfABlock = 4;
inline int cuts_of(const UnitInfo& unit) { return kCutsOfABlock * unit.blocks + 1; }

/// Which operation a cut holds after a clock edge.
struct CutState {
  bool valid = false;
  std::uint8_t tag = 0;
};

/// Reads the pipeline registers of an mma_array that has one at each cut and compares them with the
/// model, stage by stage: decode before a block, products and the special-value rules at the terms
/// cut, maximum exponent and alignment at the aligned cut, the sum, and rounding at the result.
class StageProbe {
 public:
  /// Throws std::logic_error if the unit lacks one of the signals.
  StageProbe(const MatrixUnit& unit, const Operation& operation);

  CutState state(int cut) const;
  /// Compares element `element` of the operation that `cut` holds.
  std::optional<Divergence> compare(int cut, int element, const ElementModel& model) const;

 private:
  struct BlockSignals {
    Signal products, c_term, special;
    Signal aligned, unit_exponent, floor_decided;
    Signal sum;
    Signal rounded;
  };
  struct ElementSignals {
    std::vector<BlockSignals> blocks;
    Signal integer_terms, integer_sum;
  };
  using Found = std::optional<Divergence>;

  BlockSignals signals_of(const MatrixUnit& unit, const std::string& block) const;
  Found compare_decoded(const char* operand, const Signal& decoded, int line, int block,
                        const numerics::BlockTrace& trace, const numerics::ExactValue* model,
                        int shift) const;
  Found compare_operands(int element, int block, const numerics::BlockTrace& trace) const;
  Found compare_block(Cut cut, const BlockSignals& signals,
                      const numerics::BlockTrace& trace) const;
  Found compare_terms(const BlockSignals& signals, const numerics::BlockTrace& trace) const;
  Found compare_aligned(const BlockSignals& signals, const numerics::BlockTrace& trace) const;
  Found compare_rounded(const BlockSignals& signals, const numerics::BlockTrace& trace) const;
  Found compare_integer(Cut cut, const ElementSignals& signals, const ElementModel& model) const;

  UnitInfo info_;
  Operation operation_;
  int product_slots_;   ///< Multipliers of a block; TF32 may leave some of them idle.
  int count_bits_ = 1;  ///< Of the number of blocks in a control word.
  int grid_shift_ = 0;  ///< The grid of the datapath is finer by this many digits.
  int a_shift_ = 0;     ///< RTL significands are left-justified in 11 bits,
  int b_shift_ = 0;
  int accumulator_shift_ = 0;  ///< those of accumulators and results in 24.
  int result_shift_ = 0;       ///< Results may keep fewer digits.
  Signal valid_, control_, a_decoded_, b_decoded_;
  std::vector<ElementSignals> elements_;
};

}  // namespace tcsim::rtl
