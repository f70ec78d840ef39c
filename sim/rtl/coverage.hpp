#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/numerics/block.hpp"
#include "sim/rtl/pass.hpp"
#include "sim/rtl/stage_probe.hpp"

namespace tcsim::rtl {

/// Named situations that a verification must reach.
enum class Bin : int {
  // Alignment: distance of a term from the maximum exponent; F = grid fraction bits.
  kProductShiftZero,
  kProductShiftInside,
  kProductShiftAtF,
  kProductShiftAtF1,
  kProductShiftBelow,
  kProductShiftBeyondShifter,
  kCShiftZero,
  kCShiftInside,
  kCShiftAtF,
  kCShiftAtF1,
  kCShiftBelow,
  kCShiftBeyondShifter,
  // Which term determines the maximum exponent.
  kMaximumByProduct,
  kMaximumByC,
  kMaximumByFloor,
  kNoTerm,
  kZeroC,
  kZeroTimesNonzero,
  // Special values.
  kNanInA,
  kNanInB,
  kNanInC,
  kInfinityTimesZero,
  kZeroTimesInfinity,
  kOppositeInfinities,
  kPlusInfinity,
  kMinusInfinity,
  kInfiniteCAlone,
  kInfinityWithIgnoredBits,
  // Sum.
  kCarryAboveMaximum,
  kSumTopBit,
  kDeepCancellation,
  kExactCancellation,
  kOnlyNegativeZeros,
  // Rounding.
  kExact,
  kTruncated,
  kRoundedDown,
  kRoundedUp,
  kTieToEvenDown,
  kTieToEvenUp,
  kRoundingCarries,
  // Range.
  kPlusOverflow,
  kMinusOverflow,
  kLargestKept,
  kTermAboveRange,
  kSubnormalOperand,
  kSubnormalC,
  kSubnormalResult,
  kSubnormalInexact,
  kUnderflowToPlusZero,
  kUnderflowToMinusZero,
  // Integers.
  kWrapsAbove,
  kWrapsBelow,
  kExtremeProduct,
  kIntegerInside,
  // Handshake.
  kInputHeld,
  kOutputHeld,
  kFullPipelineHeld,
  kBubbleInside,
  kDrained,
  kCount,
};

struct BinInfo {
  std::string_view group;
  std::string_view name;
};

const BinInfo& info(Bin bin);

/// Counts how often each situation occurred. A bin that an operation can never reach is not counted
/// among its bins; `applies` gives the reason in code.
class Coverage {
 public:
  /// `params`: the arithmetic of `operation`, unused if that is an integer operation.
  Coverage(const Operation& operation, const numerics::BlockParams& params)
      : operation_(operation), params_(params), hits_(kBins) {}

  void hit(Bin bin) { ++hits_[static_cast<std::size_t>(bin)]; }
  /// The operand patterns of a pass.
  void observe_patterns(const Pass& pass);
  /// One element of a floating-point pass.
  void observe(const numerics::BlockTrace& trace);
  /// One element of an integer pass.
  void observe_integer(const ElementModel& model);

  bool applies(Bin bin) const;
  std::uint64_t hits(Bin bin) const { return hits_[static_cast<std::size_t>(bin)]; }
  /// Bins that apply and were never hit.
  std::vector<Bin> missed() const;

 private:
  static constexpr int kBins = static_cast<int>(Bin::kCount);

  void observe_alignment(const numerics::BlockTrace& trace);
  void observe_special(const numerics::BlockTrace& trace);
  void observe_sum(const numerics::BlockTrace& trace);
  void observe_rounding(const numerics::BlockTrace& trace);
  void observe_range(const numerics::BlockTrace& trace);

  Operation operation_;
  numerics::BlockParams params_;
  std::vector<std::uint64_t> hits_;
};

}  // namespace tcsim::rtl
