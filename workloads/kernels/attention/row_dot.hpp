#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// The sum of O dO over a row of `dim` 16-bit elements. Each lane has 16 bytes, and a power of two
/// of lanes share a row; at the end every lane of the row has the sum.
struct RowDot {
  static constexpr int kLaneElements = 8;
  // Registers of a thread.
  static constexpr int kLoadedLeft = 0;
  static constexpr int kLoadedRight = 4;
  static constexpr int kLeft = 8;  ///< FP32
  static constexpr int kRight = kLeft + kLaneElements;
  static constexpr int kSum = kRight + kLaneElements;
  static constexpr int kShuffled = kSum + 1;
  static constexpr int kEnd = kSum + 4;

  std::int64_t dim;
  Element element;

  [[nodiscard]] int lanes() const;
  /// First element of the lane.
  [[nodiscard]] isa::Expression column() const;
  /// The sum of the rows at byte `offset` of buffers 0 and 1; lanes that `guard` excludes have
  /// zeros.
  void emit(ProgramBuilder& builder, AddressWork& work, const isa::Expression& offset,
            int guard) const;
};

}  // namespace tcsim::kernels
