#pragma once

#include <vector>

#include "scripts/gpu/bits/instruction.hpp"
#include "scripts/gpu/bits/vector.hpp"

namespace tcsim::measure {

/// A vector and its result, which is the same in every arithmetic.
struct KnownVector {
  Vector vector;
  std::uint64_t d;
};

namespace layout_detail {

/// The pattern of 0, 1 or 2.
inline std::uint64_t small(const NumberFormat* format, int value) {
  if (format == nullptr) return static_cast<std::uint64_t>(value);
  return value == 0 ? 0 : format->power(value - 1);
}

}  // namespace layout_detail

/// Vectors whose results are exact in every arithmetic: a is 1 at one k, b is 2 where a bit of
/// k is set and 1 elsewhere, c is 2. Together the results identify every k, so a wrong register
/// layout shows before any measured row is written.
inline std::vector<KnownVector> layout_vectors(const Instruction& instruction) {
  std::vector<KnownVector> known;
  for (int bit = 0; 1 << bit < instruction.k; ++bit) {
    for (int one = 0; one < instruction.k; ++one) {
      KnownVector row{{"layout", {}, {}, layout_detail::small(instruction.accumulator, 2)}, 0};
      for (int k = 0; k < instruction.k; ++k) {
        row.vector.a.push_back(layout_detail::small(instruction.input, k == one ? 1 : 0));
        row.vector.b.push_back(layout_detail::small(instruction.input, (k >> bit & 1) + 1));
      }
      const bool two = (one >> bit & 1) != 0;
      row.d = instruction.accumulator == nullptr ? (two ? 4 : 3)
              : two
                  ? instruction.accumulator->power(2)
                  : instruction.accumulator->normal(
                        false, 1, std::uint64_t{1} << (instruction.accumulator->fraction_bits - 1));
      known.push_back(row);
    }
  }
  return known;
}

}  // namespace tcsim::measure
