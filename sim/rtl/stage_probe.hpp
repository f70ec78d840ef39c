#pragma once

#include <array>
#include <vector>

#include "models/numerics/block.hpp"
#include "sim/rtl/divergence.hpp"
#include "sim/rtl/matrix_unit.hpp"
#include "sim/rtl/signal.hpp"

namespace tcsim::rtl {

/// What the model says about one element of one pass.
struct ElementModel {
  numerics::BlockTrace trace;               ///< Floating-point operations.
  std::vector<std::int64_t> integer_terms;  ///< INT8: products, then c.
  std::uint64_t pattern = 0;
};

/// The cuts of the pipeline in order; a unit with five registers has one at each.
enum class Cut : int { kOperands, kTerms, kAligned, kSum, kResult };
inline constexpr int kCuts = 5;

/// Which operation a cut holds after a clock edge.
struct CutState {
  bool valid = false;
  std::uint8_t tag = 0;
};

/// Reads the pipeline registers of a mma_array with PipelineDepth 5 and compares them with the
/// model, stage by stage: decode at the operands, products and the special-value rules at the
/// terms, maximum exponent and alignment at the aligned, the sum, rounding at the result.
class StageProbe {
 public:
  /// Throws std::logic_error if the unit lacks one of the signals.
  StageProbe(const MatrixUnit& unit, const Operation& operation);

  CutState state(Cut cut) const;
  /// Compares element `element` of the operation that `cut` holds.
  std::optional<Divergence> compare(Cut cut, int element, const ElementModel& model) const;

 private:
  struct ElementSignals {
    Signal products, c_term, special;
    Signal aligned, unit_exponent, floor_decided;
    Signal sum;
    Signal rounded;
    Signal integer_terms, integer_sum;
  };
  using Found = std::optional<Divergence>;

  Found compare_decoded(const char* operand, const Signal& decoded, int line,
                        const numerics::ExactValue* model) const;
  Found compare_operands(int element, const numerics::BlockTrace& trace) const;
  Found compare_terms(const ElementSignals& signals, const numerics::BlockTrace& trace) const;
  Found compare_aligned(const ElementSignals& signals, const numerics::BlockTrace& trace) const;
  Found compare_rounded(const ElementSignals& signals, const numerics::BlockTrace& trace) const;
  Found compare_integer(Cut cut, const ElementSignals& signals, const ElementModel& model) const;

  UnitInfo info_;
  Operation operation_;
  int product_slots_;          ///< Multipliers of a dot product; TF32 leaves half of them idle.
  int operand_shift_ = 0;      ///< RTL significands stand left-justified in 11 bits,
  int accumulator_shift_ = 0;  ///< those of accumulators and results in 24.
  Signal valid_, control_, a_decoded_, b_decoded_;
  std::vector<ElementSignals> elements_;
};

}  // namespace tcsim::rtl
