#include "sim/run/tile_search.hpp"

#include <fmt/format.h>

#include "sim/files/shown_text.hpp"
#include "sim/library/load.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/simulate.hpp"
#include "sim/text/number.hpp"

namespace tcsim::run {
namespace {

constexpr std::string_view kBestTile = "best";
constexpr int kDefaultTiles = 8;
constexpr int kMostTiles = 64;

}  // namespace

std::optional<int> tiles_to_try(const std::string& tile) {
  if (tile == kBestTile) return kDefaultTiles;
  if (!tile.starts_with(kBestTile)) return {};
  const std::string_view number = tile.size() > kBestTile.size() && tile[kBestTile.size()] == ':'
                                      ? std::string_view(tile).substr(5)
                                      : "";
  const auto count = text::number_of<int>(number);
  if (!count || *count < 2 || *count > kMostTiles)
    throw RequestError(fmt::format("{} is not best or best:N, N tiles from 2 to {}",
                                   files::shown(tile), kMostTiles));
  return count;
}

bool has_tiles(const workload::Workload& workload) {
  return std::holds_alternative<kernels::GemmProblem>(workload.work);
}

report::TileSearch search_tiles(const RunRequest& request, const workload::Workload& workload,
                                int count, const ChildPlan& plan, const TrialListener& finished) {
  if (!has_tiles(workload))
    throw NotCovered(fmt::format(
        "{}: {} best applies to products; for other operations the library chooses the tile",
        workload.text, word_of("tile")));
  RunRequest open = request;
  open.tile.clear();
  const PreparedRun run = prepare_run_with(
      open, workload,
      library::read_machine(request.machines.front(), request.overrides, request.libraries));
  report::TileSearch search;
  std::vector<RunRequest> requests;
  for (const kernels::GemmTile& tile : kernels::leading_tiles(run.gemm->problem, run.gemm->target,
                                                              static_cast<std::size_t>(count))) {
    search.tiles.push_back({tile.text()});
    requests.push_back(open);
    requests.back().workload = workload.text;
    requests.back().tile = tile.text();
  }
  const std::vector<Trial> trials = run_trials(std::move(requests), plan, finished);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    search.tiles[i].time_us = trials[i].time_us;
    search.tiles[i].reason = trials[i].reason;
  }
  return search;
}

}  // namespace tcsim::run
