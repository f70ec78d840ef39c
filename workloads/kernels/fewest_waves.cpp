#include "workloads/kernels/fewest_waves.hpp"

#include <algorithm>

#include "models/isa/cycle.hpp"

namespace tcsim::kernels {
namespace {

int rows_for(std::int64_t m, const KernelFamily& family) {
  int most = 0;
  for (const MenuTile& row : family.tiles) most = std::max(most, row.tile.m);
  int fewest = most;
  for (const MenuTile& row : family.tiles)
    if (row.tile.m >= m) fewest = std::min(fewest, row.tile.m);
  return fewest;
}

}  // namespace

std::optional<double> fewest_waves_rating(const GemmProblem& problem, const GemmTile& tile,
                                          const KernelFamily& family, int sms) {
  if (tile.m != rows_for(problem.m, family)) return std::nullopt;
  const std::int64_t tiles = ceil_div<std::int64_t>(problem.m, tile.m) *
                             ceil_div<std::int64_t>(problem.n, tile.n) * problem.batch;
  const std::int64_t waves = ceil_div<std::int64_t>(tiles, sms);
  const std::int64_t idle = waves * sms - tiles;
  // Idle SMs of the last wave are fewer than all, columns fewer than this.
  constexpr double kColumnsBelow = 1024;
  return static_cast<double>(waves) * sms + static_cast<double>(idle) + tile.n / kColumnsBelow;
}

}  // namespace tcsim::kernels
