#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "models/numerics/element_type.hpp"

namespace tcsim::numerics {

/// Operands of one dot product with accumulator.
struct DotOperands {
  std::vector<std::uint64_t> a;
  std::vector<std::uint64_t> b;
  std::uint64_t c = 0;
};

/// Deterministic operand patterns. Uniform random bits hardly ever make ties, deep cancellation or
/// subnormal sums, so `adversarial` mixes the kinds listed in the numerics reference, section 18.
class PatternSource {
 public:
  explicit PatternSource(std::uint64_t seed) : random_(seed) {}

  std::uint64_t random_bits(ElementType type);
  /// A finite value with an unbiased exponent in [low, high], clamped to the format.
  std::uint64_t with_exponent(ElementType type, int low, int high);
  /// K products and an accumulator for a grid of `grid_fraction_bits`; the kind changes every call.
  DotOperands adversarial(ElementType input, ElementType accumulator, std::size_t k,
                          int grid_fraction_bits);
  int number(int low, int high);

 private:
  void clustered(DotOperands& operands, ElementType input, ElementType accumulator, int grid);
  void cancelling(DotOperands& operands, ElementType input, ElementType accumulator, int grid);
  void tiny(DotOperands& operands, ElementType input, ElementType accumulator);
  void huge(DotOperands& operands, ElementType input, ElementType accumulator);

  std::mt19937_64 random_;
  int kind_ = 0;
};

}  // namespace tcsim::numerics
