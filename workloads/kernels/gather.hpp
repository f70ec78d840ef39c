#pragma once

#include <cstdint>

#include "models/isa/expression.hpp"

namespace tcsim::kernels {

/// Where the elements of an operand lie that is not stored as a matrix, such as the pixels that an
/// implicit product reads once per filter tap.
class Gather {
 public:
  /// `elements` of the buffer that one batch reads; `batch_stride` of them from one batch to the
  /// next.
  Gather(std::int64_t elements, std::int64_t batch_stride)
      : elements_(elements), batch_stride_(batch_stride) {}
  /// Batches one behind the other.
  explicit Gather(std::int64_t elements) : Gather(elements, elements) {}
  virtual ~Gather() = default;

  /// An element of the operand: its row of A or column of B, and its place along k.
  struct Index {
    const isa::Expression& across;
    const isa::Expression& k_tile;  ///< number of the k-tile, from 0 over all slices
    const isa::Expression& k;       ///< inside the k-tile
  };
  struct Place {
    isa::Expression element;  ///< from the start of the buffer, without the batch
    isa::Guard inside;        ///< fails for zeros: padding, k-tiles and channels beyond the last
  };
  /// Rows or columns beyond the last are the caller's to refuse.
  [[nodiscard]] virtual Place place(const Index& index) const = 0;

  [[nodiscard]] std::int64_t elements() const { return elements_; }
  [[nodiscard]] std::int64_t batch_stride() const { return batch_stride_; }

 private:
  std::int64_t elements_;
  std::int64_t batch_stride_;
};

/// Where the rows of D go that do not lie one behind the other.
class Scatter {
 public:
  virtual ~Scatter() = default;

  struct Place {
    isa::Expression element;  ///< first element of the row
    isa::Guard inside;        ///< fails for rows that no element of the tensor belongs to
  };
  [[nodiscard]] virtual Place place(const isa::Expression& row) const = 0;
};

}  // namespace tcsim::kernels
