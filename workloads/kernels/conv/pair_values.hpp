#pragma once

#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {

inline constexpr int kPair = 2;  ///< elements that PairValues holds

/// Two neighbouring elements of a tensor as two FP32 registers: what a thread of an elementwise
/// kernel holds, for 16-bit and 32-bit tensors alike.
class PairValues {
 public:
  PairValues(Element element, const VectorUnit& unit) : element_(element), unit_(unit) {}

  /// True for the supported formats: 16-bit and 32-bit floating point.
  static bool knows(Element element);

  [[nodiscard]] int bytes() const { return 2 * element_bytes(element_); }
  /// Converts what a load of bytes() left in `first` into values in `first` and `first` + 1.
  [[nodiscard]] Instructions unpack(int first) const;
  /// Converts a single element, loaded into `to`, into a value there.
  [[nodiscard]] Instructions unpack_one(int to) const;
  /// Converts those values into what a store of bytes() reads from `first`.
  [[nodiscard]] Instructions pack(int first) const;

 private:
  Element element_;
  VectorUnit unit_;
};

}  // namespace tcsim::kernels
