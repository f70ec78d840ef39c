#pragma once

#include <cstdint>

#include "models/isa/expression.hpp"

namespace tcsim::kernels {

/// Where the elements of an operand are that is not stored as a matrix, such as the pixels that an
/// implicit product reads once per filter tap.
class Gather {
 public:
  /// One batch reads `elements` of the buffer; batches start `batch_stride` elements apart.
  Gather(std::int64_t elements, std::int64_t batch_stride)
      : elements_(elements), batch_stride_(batch_stride) {}
  /// Batches follow each other without gaps.
  explicit Gather(std::int64_t elements) : Gather(elements, elements) {}
  virtual ~Gather() = default;

  /// An element of the operand: its row of A or column of B, and its position along k.
  struct Index {
    const isa::Expression& across;
    const isa::Expression& k_tile;  ///< number of the k-tile, from 0, over all slices
    const isa::Expression& k;       ///< inside the k-tile
  };
  struct Place {
    isa::Expression element;  ///< from the start of the buffer, without the batch
    isa::Guard inside;        ///< false for zeros: padding, k-tiles and channels beyond the last
  };
  /// The caller must exclude rows or columns beyond the last.
  [[nodiscard]] virtual Place place(const Index& index) const = 0;

  [[nodiscard]] std::int64_t elements() const { return elements_; }
  [[nodiscard]] std::int64_t batch_stride() const { return batch_stride_; }

 private:
  std::int64_t elements_;
  std::int64_t batch_stride_;
};

/// Where the rows of D are stored if they do not follow each other.
class Scatter {
 public:
  virtual ~Scatter() = default;

  struct Place {
    isa::Expression element;  ///< first element of the row
    isa::Guard inside;        ///< false for rows that belong to no element of the tensor
  };
  [[nodiscard]] virtual Place place(const isa::Expression& row) const = 0;
};

}  // namespace tcsim::kernels
