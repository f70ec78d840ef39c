#include "workloads/kernels/conv/output_tiles.hpp"

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {

std::int64_t OutputTiles::tiles_h() const { return ceil_div(problem.p(), outputs_h); }

std::int64_t OutputTiles::tiles_w() const { return ceil_div(problem.q(), outputs_w); }

SampledImages OutputTiles::inputs() const {
  return {.rows = {.pixels = tiles_h(),
                   .taps = side,
                   .extent = problem.h,
                   .pixel_step = outputs_h,
                   .origin = constant(-problem.pad_h)},
          .columns = {.pixels = tiles_w(),
                      .taps = side,
                      .extent = problem.w,
                      .pixel_step = outputs_w,
                      .origin = constant(-problem.pad_w)},
          .images = problem.n,
          .channels = problem.c};
}

SampledImages OutputTiles::outputs() const {
  return {.rows = {.pixels = tiles_h(),
                   .taps = outputs_h,
                   .extent = problem.p(),
                   .pixel_step = outputs_h},
          .columns = {.pixels = tiles_w(),
                      .taps = outputs_w,
                      .extent = problem.q(),
                      .pixel_step = outputs_w},
          .images = problem.n,
          .channels = problem.k};
}

}  // namespace tcsim::kernels
