#include "workloads/kernels/tile_strips.hpp"

namespace tcsim::kernels {
namespace {

/// coefficient * ((number / divisor) % modulus) for a number below `end`, and for its remainder
/// from `end` on.
isa::Quotient before(std::int64_t end, isa::Variable number, std::int64_t coefficient,
                     std::int64_t divisor, std::int64_t modulus) {
  return {.coefficient = coefficient,
          .terms = {{number, 1}},
          .divisor = static_cast<std::uint32_t>(divisor),
          .modulus = static_cast<std::uint32_t>(modulus),
          .most = end};
}
isa::Quotient behind(std::int64_t end, isa::Variable number, std::int64_t divisor,
                     std::int64_t modulus) {
  return {.constant = -end,
          .terms = {{number, 1}},
          .divisor = static_cast<std::uint32_t>(divisor),
          .modulus = static_cast<std::uint32_t>(modulus),
          .least = 0};
}

}  // namespace

TileStrips::TileStrips(std::int64_t tiles_m, std::int64_t tiles_n, std::int64_t width)
    : tiles_m_(tiles_m),
      width_(width),
      last_width_(tiles_n % width),
      in_whole_((tiles_n - last_width_) * tiles_m) {}

std::int64_t TileStrips::number(std::int64_t row, std::int64_t column) const {
  const std::int64_t first = column / width_ * width_ * tiles_m_;
  return first + row * (first < in_whole_ ? width_ : last_width_) + column % width_;
}

isa::Expression TileStrips::row(isa::Variable number) const {
  isa::Expression row;
  row.quotients.push_back(before(in_whole_, number, 1, width_, tiles_m_));
  if (last_width_ > 0) row.quotients.push_back(behind(in_whole_, number, last_width_, 0));
  return row;
}

isa::Expression TileStrips::column(isa::Variable number) const {
  isa::Expression column;
  column.quotients = {before(in_whole_, number, width_, width_ * tiles_m_, 0),
                      before(in_whole_, number, 1, 1, width_)};
  if (last_width_ > 0) column.quotients.push_back(behind(in_whole_, number, 1, last_width_));
  return column;
}

}  // namespace tcsim::kernels
