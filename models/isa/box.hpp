#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::isa {

/// Bytes of a buffer, in a row.
struct BufferRange {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// What a TileOperand names as the variables stand: a box of a tensor map, or bytes in a row.
struct Box {
  const TensorMap* map = nullptr;           ///< null: bytes in a row
  std::vector<std::int64_t> coordinates{};  ///< of `map`
  int buffer = 0;  ///< index into KernelLaunch::buffers; kNoIndex: shared memory of the cluster
  // Bytes in a row, as the operand has them:
  std::int64_t offset = 0;
  std::int64_t length = 0;

  [[nodiscard]] int rows() const { return map != nullptr ? map->box_rows() : 1; }
  /// What is no length of a row counts as the nearest one.
  [[nodiscard]] int row_bytes() const;
  [[nodiscard]] int bytes() const { return rows() * row_bytes(); }
  /// Where row `number` lies in the buffer; bytes in a row are all inside.
  [[nodiscard]] BoxRow row(int number) const;
  /// What lies inside its tensor, row by row.
  [[nodiscard]] std::vector<BufferRange> rows_inside() const;
  [[nodiscard]] Swizzle swizzle() const { return map ? swizzle_of(map->swizzle) : Swizzle{}; }
  /// Bytes of which its start in shared memory is a multiple.
  [[nodiscard]] int shared_alignment() const {
    return map != nullptr ? TensorMap::kSharedAlignment : RowOperand::kAlignment;
  }
};

/// Refers to tensor maps of `launch`. Requires a launch that validate() accepts.
Box box_of(const KernelLaunch& launch, const TileOperand& operand, const Bindings& bindings);

}  // namespace tcsim::isa
