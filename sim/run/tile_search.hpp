#pragma once

#include <optional>
#include <string>

#include "sim/report/tile_search.hpp"
#include "sim/run/trials.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::run {

/// The number of tiles that "best" or "best:N" of field `tile` asks to try, 2 to 64; nothing for
/// other words. Throws RequestError with only the reason for another number.
std::optional<int> tiles_to_try(const std::string& tile);

/// Simulates `workload`, a product or a convolution, with each of the `count` tiles that the
/// library of the machine ranks first; those of a convolution are of the algorithm that would be
/// picked. Throws as prepare_run does, NotCovered for other workloads and for algorithms without
/// tiles.
report::TileSearch search_tiles(const RunRequest& request, const workload::Workload& workload,
                                int count, const ChildPlan& plan, const TrialListener& finished);

}  // namespace tcsim::run
