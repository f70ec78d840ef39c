#pragma once

#include <cstdint>

#include "models/isa/expression.hpp"

namespace tcsim::kernels {

/// The order of tiles in strips of `width` columns: row by row inside a strip, strip after strip.
/// The last strip may be narrower.
class TileStrips {
 public:
  /// Requires width <= tiles_n.
  TileStrips(std::int64_t tiles_m, std::int64_t tiles_n, std::int64_t width);

  [[nodiscard]] std::int64_t number(std::int64_t row, std::int64_t column) const;
  /// Row and column of the tile whose number is the variable.
  [[nodiscard]] isa::Expression row(isa::Variable number) const;
  [[nodiscard]] isa::Expression column(isa::Variable number) const;

 private:
  std::int64_t tiles_m_;
  std::int64_t width_;
  std::int64_t last_width_;  ///< of the last strip, if it is narrower; else 0
  std::int64_t in_whole_;    ///< tiles of the other strips
};

}  // namespace tcsim::kernels
