#pragma once

#include <string_view>

#include "sim/rtl/pass.hpp"
#include "sim/rtl/random.hpp"

namespace tcsim::rtl {

/// What a pass is meant to test; see numerics reference section 18 for why uniform bits are not
/// enough.
enum class Scenario : int {
  kUniformBits,
  kOrdinary,      ///< Numbers of similar size.
  kClustered,     ///< Exponents near the maximum and near the edges of the grid.
  kCancellation,  ///< Large products that cancel exactly, with a remainder near the grid.
  kSubnormals,
  kSpecials,  ///< Infinities, NaNs, zeros and the largest numbers among ordinary ones.
  kZeros,     ///< Zeros of both signs.
  kTies,      ///< Half a unit of the accumulator's last digit, with and without a far smaller term.
  kOverflow,
  kUnderflow,
  kLargestSum,  ///< Every significand all ones, every sign the same: the sum needs its top bit.
  kCount,
};

/// Random and directed operands for one operation of a unit.
class OperandGenerator {
 public:
  OperandGenerator(const UnitInfo& unit, const Operation& operation, std::uint64_t seed);

  /// The next pass; scenarios are chosen at random, each equally often.
  Pass next();
  Scenario scenario() const { return scenario_; }

 private:
  using Patterns = std::vector<std::uint64_t>;

  Pass integers();
  std::uint64_t number(const numerics::Format& format, bool negative, int exponent,
                       std::uint64_t fraction);
  std::uint64_t number(const numerics::Format& format, int exponent);
  std::uint64_t fraction(const numerics::Format& format);
  std::uint64_t uniform(numerics::ElementType type);
  std::uint64_t special(const numerics::Format& format);

  /// Sets elements k of all rows and columns so that their products have `exponent`.
  void set_products(Pass& pass, int k, int exponent);
  void set_powers(Pass& pass, int k, int exponent);
  void clear(Pass& pass, int first_k);
  void cancel_pairs(Pass& pass, int pairs);
  void set_c(Pass& pass, int exponent);
  int near_grid(int maximum);

  void uniform_bits(Pass& pass);
  void ordinary(Pass& pass);
  void clustered(Pass& pass);
  void cancellation(Pass& pass);
  void subnormals(Pass& pass);
  void specials(Pass& pass);
  void zeros(Pass& pass);
  void ties(Pass& pass);
  void overflow(Pass& pass);
  void underflow(Pass& pass);
  void largest_sum(Pass& pass);

  UnitInfo unit_;
  Operation operation_;
  const numerics::Format& a_;
  const numerics::Format& b_;
  numerics::BlockParams block_;
  Random random_;
  Scenario scenario_ = Scenario::kUniformBits;
};

}  // namespace tcsim::rtl
