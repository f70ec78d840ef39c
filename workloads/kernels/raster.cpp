#include "workloads/kernels/raster.hpp"

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

// Strip widths and the numbers of tiles from which they pay: kernels.md 3.
int strip_log(std::int64_t tiles_n) {
  if (tiles_n >= 6) return 3;
  if (tiles_n >= 3) return 2;
  if (tiles_n >= 2) return 1;
  return 0;
}

}  // namespace

Raster::Raster(const GemmProblem& problem, const GemmTile& tile)
    : tiles_m_(ceil_div<std::int64_t>(problem.m, tile.m)),
      tiles_n_(ceil_div<std::int64_t>(problem.n, tile.n)),
      batch_(problem.batch),
      log_(strip_log(tiles_n_)) {}

std::array<std::int64_t, 3> Raster::grid() const {
  return {tiles_m_ << log_, ceil_div(tiles_n_, std::int64_t{1} << log_), batch_};
}

void Raster::add_row(isa::Expression& sum, std::int64_t weight) const {
  add_term(sum, {.variable = isa::Variable::kCtaX, .coefficient = weight, .divisor = 1U << log_});
}

void Raster::add_column(isa::Expression& sum, std::int64_t weight) const {
  add_term(sum, {.variable = isa::Variable::kCtaY, .coefficient = weight << log_});
  if (log_ > 0) add_field(sum, {isa::Variable::kCtaX, 0, log_, weight});
}

bool Raster::has_idle_ctas() const { return tiles_n_ % (std::int64_t{1} << log_) != 0; }

isa::Guard Raster::idle() const {
  isa::Expression negative_column;
  add_column(negative_column, -1);
  return {{{negative_column, 1 - tiles_n_}}};  // column >= tiles_n
}

}  // namespace tcsim::kernels
