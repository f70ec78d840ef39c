#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/numerics/aligned_vector.hpp"
#include "models/numerics/arithmetic.hpp"

namespace tcsim::numerics {

/// Vectors along k of one operand (rows of A, columns of B), decoded once for the fast path. They
/// stand in groups of kGroup; inside a group all vectors' element k are side by side.
class OperandPanel {
 public:
  static constexpr int kGroup = 16;  ///< Lanes of the widest vector unit in use, 32 bits each.

  OperandPanel() = default;

  /// Element k of vector v is patterns[v * vector_stride + k * k_stride]. Requires a floating-point
  /// type of at most 32 bits. Storage of an earlier load is reused.
  void load(ElementType type, std::span<const std::uint32_t> patterns, int vectors, int length,
            int vector_stride, int k_stride);

  ElementType type() const { return type_; }
  int vectors() const { return vectors_; }
  int length() const { return length_; }  ///< Elements of each vector along k.
  int groups() const { return (vectors_ + kGroup - 1) / kGroup; }

  /// [length][kGroup] of one group: exponents (very low for a zero), signed significands, patterns.
  const std::int32_t* exponents(int group) const { return exponents_.data() + group_offset(group); }
  const std::int32_t* significands(int group) const {
    return significands_.data() + group_offset(group);
  }
  /// The vector holds an infinity or a NaN, which the plain path answers for.
  bool has_special(int vector) const { return has_special_[static_cast<std::size_t>(vector)] != 0; }
  bool group_has_special(int group) const;
  std::uint32_t pattern(int vector, int k) const;

 private:
  std::size_t group_offset(int group) const {
    return static_cast<std::size_t>(group) * static_cast<std::size_t>(length_) * kGroup;
  }

  ElementType type_ = ElementType::kFp16;
  int vectors_ = 0;
  int length_ = 0;
  AlignedVector<std::uint32_t> patterns_;
  AlignedVector<std::int32_t> exponents_;
  AlignedVector<std::int32_t> significands_;
  std::vector<std::uint32_t> has_special_;
};

/// True when the fast path computes `arithmetic`: ascending chains of aligned blocks whose sums fit
/// 32 bits, FP32 results truncated, FP16 ones rounded to nearest even, subnormals honoured, and
/// zero products out of the maximum exponent. Everything else goes through mma().
bool fast_path_covers(const Arithmetic& arithmetic);

/// accumulators[s][v] = chain over k of single[s] . wide[v] onto accumulators[s][v], bit for bit
/// what mma() gives. One panel holds rows of A, the other columns of B; which is which does not
/// matter. The lanes of a vector unit run along `wide`, so let it be the larger count.
/// `accumulators` is row-major with `stride` >= wide.vectors() patterns a row, FP16 ones in the low
/// half. Requires fast_path_covers(arithmetic) and equal lengths.
void fast_mma(const Arithmetic& arithmetic, const OperandPanel& single, const OperandPanel& wide,
              std::span<std::uint32_t> accumulators, int stride);

}  // namespace tcsim::numerics
