#include "workloads/kernels/fewest_waves.hpp"

#include <algorithm>
#include <limits>

#include "models/isa/cycle.hpp"

namespace tcsim::kernels {
namespace {

/// The rows of contiguous groups must be multiples of the tile's rows. DeepGEMM's tile is then 128
/// high.
int rows_for_groups(const RowGroups& groups, const KernelFamily& family) {
  int most = 0;
  for (const MenuTile& row : family.tiles)
    if (std::ranges::all_of(groups.rows, [&](std::int64_t rows) { return rows % row.tile.m == 0; }))
      most = std::max(most, row.tile.m);
  return most;
}

int rows_for(std::int64_t m, const KernelFamily& family) {
  int most = 0;
  for (const MenuTile& row : family.tiles) most = std::max(most, row.tile.m);
  int fewest = most;
  for (const MenuTile& row : family.tiles)
    if (row.tile.m >= m) fewest = std::min(fewest, row.tile.m);
  return fewest;
}

/// What the caller of a masked kernel states about the groups: their mean number of rows. Other
/// kernels have the actual number.
std::int64_t expected_rows(const GemmProblem& problem) {
  return problem.groups.is_masked() ? ceil_div(problem.groups.total(), problem.batch) : problem.m;
}

/// True if the CTAs of two neighbouring tiles in a row share their part of A by multicast.
bool shares_rows(const GemmProblem& problem, std::int64_t m, const GemmTile& tile, int sms) {
  constexpr std::int64_t kLeastRows = 1024;
  const int cluster = tile.cluster_n;
  return m >= kLeastRows && problem.batch == 1 &&
         problem.n % (std::int64_t{tile.n} * cluster) == 0 && sms % cluster == 0;
}

}  // namespace

double fewest_waves_rating(const GemmProblem& problem, const GemmTile& tile,
                           const KernelFamily& family, int sms) {
  constexpr double kOutsideTheRule = std::numeric_limits<double>::infinity();
  const bool is_contiguous = problem.is_grouped() && !problem.groups.is_masked();
  const std::int64_t m = expected_rows(problem);
  if (tile.m != (is_contiguous ? rows_for_groups(problem.groups, family) : rows_for(m, family)))
    return kOutsideTheRule;
  const bool shares = tile.cluster_n > 1;
  if (shares && !shares_rows(problem, m, tile, sms)) return kOutsideTheRule;
  const auto tiles =
      ceil_div<std::int64_t>(m, tile.m) * ceil_div<std::int64_t>(problem.n, tile.n) * problem.batch;
  const auto waves = ceil_div<std::int64_t>(tiles, sms);
  const std::int64_t idle = waves * sms - tiles;
  // The last wave has fewer idle SMs than all SMs, and a tile fewer columns than this.
  constexpr double kColumnsBelow = 1024;
  const double columns = shares ? tile.n - 0.5 : tile.n;
  return static_cast<double>(waves) * sms + static_cast<double>(idle) + columns / kColumnsBelow;
}

}  // namespace tcsim::kernels
