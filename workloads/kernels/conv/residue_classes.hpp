#pragma once

#include <vector>

#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/conv/filter_gather.hpp"
#include "workloads/kernels/conv/image_gather.hpp"

namespace tcsim::kernels {

/// The pixels of dx in stride_h * stride_w classes by the residues of their row and column: class
/// number z of the grid has row residue z div stride_w and column residue z mod stride_w. Row
/// stride * i + residue meets the taps first + stride * j with first = (residue + pad) mod stride,
/// and with these taps the rows i + (residue + pad) div stride - j of dy. Dilated taps are
/// supported only for stride 1, where they meet the rows i + pad - dil * j.
class ResidueClasses : public Scatter {
 public:
  explicit ResidueClasses(const ConvProblem& conv) : conv_(conv) {}

  /// dy as the pixels of one class see it.
  [[nodiscard]] SampledImages images() const;
  /// The classes of pixels that meet equally many taps, those that meet most first; none if all do.
  [[nodiscard]] std::vector<TapClass> tap_classes() const;
  [[nodiscard]] TransposedFilterGather::Taps taps_h() const;
  [[nodiscard]] TransposedFilterGather::Taps taps_w() const;

  /// Row number `row` of a class in dx.
  [[nodiscard]] Place place(const isa::Expression& row) const override;

 private:
  ConvProblem conv_;
};

}  // namespace tcsim::kernels
