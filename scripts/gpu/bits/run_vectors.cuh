#pragma once

#include <string>
#include <vector>

#include "scripts/gpu/bits/execute.cuh"
#include "scripts/gpu/bits/instruction.hpp"
#include "scripts/gpu/bits/layout_check.hpp"
#include "scripts/gpu/bits/vector.hpp"

namespace tcsim::measure {

/// D of every vector as a pattern of the accumulator. Requires at least one vector.
template <class Mma>
std::vector<std::uint64_t> results(const Instruction& instruction,
                                   const std::vector<Vector>& vectors) {
  constexpr std::size_t kPadding = 32;
  const std::size_t padded = (vectors.size() + kPadding - 1) / kPadding * kPadding;
  const std::size_t wide = Launch<Mma>::kWordsOfResult;
  std::vector<std::uint32_t> a(padded * Mma::kRowWords);
  std::vector<std::uint32_t> b(padded * Mma::kRowWords);
  std::vector<std::uint32_t> c(padded * wide);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const auto row = pack(vectors[i].a, instruction.input_bits());
    const auto column = pack(vectors[i].b, instruction.input_bits());
    std::copy(row.begin(), row.end(), a.begin() + i * Mma::kRowWords);
    std::copy(column.begin(), column.end(), b.begin() + i * Mma::kRowWords);
    for (std::size_t word = 0; word < wide; ++word)
      c[i * wide + word] = static_cast<std::uint32_t>(vectors[i].c >> (32 * word));
  }
  const std::vector<std::uint32_t> d = execute<Mma>(a, b, c);
  std::vector<std::uint64_t> patterns(vectors.size());
  for (std::size_t i = 0; i < vectors.size() * wide; ++i)
    patterns[i / wide] |= std::uint64_t{d[i]} << (32 * (i % wide));
  return patterns;
}

/// Throws ProgramError if the operands do not reach the places that this program assumes.
template <class Mma>
void check_layout(const Instruction& instruction) {
  const std::vector<KnownVector> known = layout_vectors(instruction);
  std::vector<Vector> vectors;
  for (const KnownVector& row : known) vectors.push_back(row.vector);
  const std::vector<std::uint64_t> d = results<Mma>(instruction, vectors);
  for (std::size_t i = 0; i < known.size(); ++i)
    if (d[i] != known[i].d)
      throw ProgramError(kStopped,
                         instruction.words() + ": the check of the register layout failed");
}

}  // namespace tcsim::measure
