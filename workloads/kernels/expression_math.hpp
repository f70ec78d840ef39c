#pragma once

#include <cstdint>

#include "models/isa/expression.hpp"

namespace tcsim::kernels {

inline constexpr int kLaneBits = 5;  ///< of Variable::kLane

isa::Expression constant(std::int64_t value);

/// Adds coefficient * ((variable / divisor) % modulus) to `sum`; merges it with an equal term.
void add_term(isa::Expression& sum, const isa::Term& term);

/// Adds factor * part to `sum`.
void add_scaled(isa::Expression& sum, const isa::Expression& part, std::int64_t factor);

/// Adds coefficient * ((part / divisor) % modulus), as a term if only one variable is divided.
/// `part` has no quotients and is never negative.
void add_quotient(isa::Expression& sum, std::int64_t coefficient, const isa::Expression& part,
                  std::int64_t divisor, std::int64_t modulus);

/// Bits [low, low + count) of a variable as they contribute to an index: bit i contributes weight
/// << i.
struct BitField {
  isa::Variable variable;
  int low = 0;
  int count = 1;
  std::int64_t weight = 1;
};
void add_field(isa::Expression& sum, const BitField& field);

/// The vectors of a tile are dealt to the threads of a CTA in rounds. In round r, the thread with
/// lane l of warp w receives vector l + 32 w + 32 W r, where W is the number of warps (a power of
/// two).
struct ThreadDeal {
  int warps = 1;

  /// Adds weight * ((vector >> low) % 2^count) for round `round`.
  void add_field(isa::Expression& sum, int round, int low, int count, std::int64_t weight) const;

  [[nodiscard]] int threads() const { return warps << kLaneBits; }
  /// Adds to `guard` that the thread has a vector in `round`, if not all threads have one.
  void bound(isa::Guard& guard, int round, int vectors) const;
};

/// log2 of a power of two.
int log2_exact(std::int64_t power_of_two);
/// Number of bits that hold the numbers below `count`.
int bits_below(std::int64_t count);
bool is_power_of_two(std::int64_t value);

}  // namespace tcsim::kernels
