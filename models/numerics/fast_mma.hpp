#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/numerics/aligned_vector.hpp"
#include "models/numerics/arithmetic.hpp"
#include "models/numerics/fast_kernel.hpp"

namespace tcsim::numerics {

/// Vectors along k of one operand (rows of A, columns of B), decoded once for the fast path. They
/// are stored in groups of kGroup; in a group, element k of all vectors is contiguous.
class OperandPanel {
 public:
  static constexpr int kGroup = kFastGroup;

  OperandPanel() = default;

  /// Element k of vector v is patterns[v * vector_stride + k * k_stride]. Requires a floating-point
  /// type of at most 32 bits. Reuses the storage of an earlier load.
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
  /// True if the vector holds an infinity or a NaN, which the plain path handles.
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

/// True if the fast path computes `arithmetic`: ascending chains of aligned blocks whose sums fit
/// 32 bits, with FP32 results truncated, FP16 results rounded to nearest even, subnormals honoured,
/// and zero products excluded from the maximum exponent. mma() computes everything else.
bool fast_path_covers(const Arithmetic& arithmetic);

/// accumulators[s][v] = chain over k of single[s] . wide[v] onto accumulators[s][v], bit for bit as
/// mma() gives it. One panel holds rows of A, the other columns of B, in either role. The lanes of
/// a vector unit run along `wide`, so `wide` should be the panel with more vectors. `accumulators`
/// is row-major with `stride` >= wide.vectors() patterns per row, FP16 patterns in the low half.
/// Requires fast_path_covers(arithmetic) and equal lengths.
void fast_mma(const Arithmetic& arithmetic, const OperandPanel& single, const OperandPanel& wide,
              std::span<std::uint32_t> accumulators, int stride);

}  // namespace tcsim::numerics
