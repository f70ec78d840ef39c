#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::isa {

/// Contiguous bytes of a buffer.
struct BufferRange {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// What a TileOperand names for given variables: a box of a tensor map, or contiguous bytes.
struct Box {
  const TensorMap* map = nullptr;           ///< null: contiguous bytes
  std::vector<std::int64_t> coordinates{};  ///< of `map`
  int buffer = 0;  ///< index into KernelLaunch::buffers; kNoIndex: shared memory of the cluster
  // Contiguous bytes, as in the operand:
  std::int64_t offset = 0;
  std::int64_t length = 0;

  [[nodiscard]] int rows() const { return map != nullptr ? map->box_rows() : 1; }
  /// An invalid length of a row counts as the nearest valid one.
  [[nodiscard]] int row_bytes() const;
  [[nodiscard]] int bytes() const { return rows() * row_bytes(); }
  /// Where row `number` is in the buffer; contiguous bytes are entirely inside.
  [[nodiscard]] BoxRow row(int number) const;
  /// The parts that are inside its tensor, row by row.
  [[nodiscard]] std::vector<BufferRange> rows_inside() const;
  [[nodiscard]] Swizzle swizzle() const { return map ? swizzle_of(map->swizzle) : Swizzle{}; }
  /// Its start in shared memory must be a multiple of this many bytes.
  [[nodiscard]] int shared_alignment() const {
    return map != nullptr ? TensorMap::kSharedAlignment : RowOperand::kAlignment;
  }
};

/// The result refers to tensor maps of `launch`. Requires a launch that validate() accepts.
Box box_of(const KernelLaunch& launch, const TileOperand& operand, const Bindings& bindings);

}  // namespace tcsim::isa
