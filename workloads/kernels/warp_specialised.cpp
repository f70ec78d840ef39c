#include "workloads/kernels/warp_specialised.hpp"

#include <utility>

#include "workloads/kernels/partial_sums.hpp"
#include "workloads/kernels/tile_strips.hpp"
#include "workloads/kernels/warpgroup_consumer.hpp"
#include "workloads/kernels/warpgroup_launch.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"
#include "workloads/kernels/warpgroup_producer.hpp"

namespace tcsim::kernels {

SharedParts shared_parts(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  const auto shape = warpgroups::warpgroup_plan(problem, tile, target);
  return {shape.shared_parts(), sum_bytes(shape.sums(), isa::kGroupWarps)};
}

std::vector<std::int64_t> warpgroup_cuts(const GemmProblem& problem, const GemmTile& tile,
                                         const Target& target, std::int64_t row,
                                         std::int64_t column) {
  const auto shape = warpgroups::warpgroup_plan(problem, tile, target);
  if (tile.swapped) std::swap(row, column);
  const TileStrips strips(shape.tiles_m, shape.tiles_n, shape.strip);
  return shape.stream_k->cuts(
      strips.number(row / shape.tile.cluster_m, column / shape.tile.cluster_n));
}

isa::KernelLaunch make_warp_specialised(const GemmProblem& problem, const GemmTile& tile,
                                        const Target& target,
                                        const std::vector<isa::Buffer>& buffers) {
  const auto shape = warpgroups::warpgroup_plan(problem, tile, target);
  return warpgroups::with_roles(
      {.grid = {shape.grid * shape.cluster(), 1, 1},
       .cluster = {shape.cluster(), 1, 1},
       .registers_per_thread = warpgroups::register_budget(shape.consumers()).launch,
       .shared_bytes_per_cta = shape.shared_bytes(),
       .buffers = buffers,
       .tensor_maps = warpgroups::tensor_maps(shape)},
      shape.consumers(),
      {warpgroups::producer_program(shape), warpgroups::idle_program(shape),
       warpgroups::consumer_program(shape)});
}

}  // namespace tcsim::kernels
