#pragma once

#include "workloads/kernels/conv/tap_walk.hpp"
#include "workloads/kernels/gather.hpp"

namespace tcsim::kernels {

/// Filters [out][tap][channel] with output channels across, taps and channels along k: operand B of
/// a forward pass. A batch is a group of output channels.
class FilterGather : public Gather {
 public:
  /// `outputs`: output channels of a group.
  FilterGather(std::int64_t outputs, const TapWalk& walk)
      : Gather(outputs * walk.taps_h * walk.taps_w * walk.channels), walk_(walk) {}

  [[nodiscard]] Place place(const Index& index) const override;

 private:
  TapWalk walk_;
};

/// The same filters with channels across, taps and output channels along k: operand B of a data
/// gradient. Tap number j of the walk is tap first + step * j of the filter; the walk does not go
/// beyond its last tap.
class TransposedFilterGather : public Gather {
 public:
  struct Taps {
    std::int64_t count = 1;  ///< number of taps of the filter
    std::int64_t step = 1;
    isa::Expression first{};
  };
  TransposedFilterGather(Taps rows, Taps columns, std::int64_t channels, const TapWalk& walk,
                         std::int64_t batch_stride)
      : Gather(walk.channels * rows.count * columns.count * channels, batch_stride),
        rows_(std::move(rows)),
        columns_(std::move(columns)),
        channels_(channels),
        walk_(walk) {}

  [[nodiscard]] Place place(const Index& index) const override;

 private:
  Taps rows_;
  Taps columns_;
  std::int64_t channels_;
  TapWalk walk_;
};

/// Filters [out][channel][tap] with channels across, output channels and the taps of each along k:
/// operand A of a data gradient in NCHW. A batch is a group of output channels.
class PlaneFilterGather : public Gather {
 public:
  PlaneFilterGather(std::int64_t outputs, std::int64_t channels, std::int64_t taps, int tile_k)
      : Gather(outputs * channels * taps),
        outputs_(outputs),
        channels_(channels),
        taps_(taps),
        tile_k_(tile_k) {}

  [[nodiscard]] Place place(const Index& index) const override;

 private:
  std::int64_t outputs_;  ///< output channels of a group
  std::int64_t channels_;
  std::int64_t taps_;
  int tile_k_;
};

}  // namespace tcsim::kernels
