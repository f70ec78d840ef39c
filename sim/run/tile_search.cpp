#include "sim/run/tile_search.hpp"

#include <fmt/format.h>

#include "sim/files/shown_text.hpp"
#include "sim/library/load.hpp"
#include "sim/run/prepare/conv.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/simulate.hpp"
#include "sim/text/number.hpp"

namespace tcsim::run {
namespace {

constexpr std::string_view kBestTile = "best";
constexpr int kDefaultTiles = 8;
constexpr int kMostTiles = 64;

/// The tiles that rank first for `work`, at most `count`, each after the algorithm that would be
/// picked. Throws NotCovered if that has no tiles.
std::vector<std::string> leading_conv_texts(const workload::ConvWork& work,
                                            const PreparationOptions& options,
                                            const config::Machine& machine, std::size_t count) {
  const auto conv = settled(work.problem, options, machine);
  kernels::ConvPlan plan = plan_of(conv, work.algorithm);
  std::vector<std::string> texts;
  for (const kernels::GemmTile& tile :
       kernels::leading_conv_tiles(conv.problem, plan.algorithm, conv.target, count)) {
    plan.tile = tile;
    texts.push_back(plan.text());
  }
  if (texts.empty())
    throw NotCovered(
        fmt::format("{}: {} has no tiles to choose", conv_title(conv.problem), plan.text()));
  return texts;
}

/// The values of field `tile` for the tiles that rank first for `workload`, at most `count`.
/// Throws as prepare_run does, NotCovered for operations without a choice.
std::vector<std::string> leading_texts(const RunRequest& open, const workload::Workload& workload,
                                       std::size_t count) {
  const auto* const conv = std::get_if<workload::ConvWork>(&workload.work);
  if (conv == nullptr && !std::holds_alternative<kernels::GemmProblem>(workload.work))
    throw NotCovered(
        fmt::format("{}: {} best applies to products and convolutions; for other operations the "
                    "library chooses the tile",
                    workload.text, word_of("tile")));
  const config::MachineFile machine =
      library::read_machine(open.machines.front(), open.overrides, open.libraries);
  const PreparedRun run = prepare_run_with(open, workload, machine);
  if (conv != nullptr)
    return leading_conv_texts(*conv, {open.machines.front(), open.unit, /*tile=*/""},
                              machine.machine, count);
  std::vector<std::string> texts;
  for (const kernels::GemmTile& tile :
       kernels::leading_tiles(run.gemm->problem, run.gemm->target, count))
    texts.push_back(tile.text());
  return texts;
}

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

report::TileSearch search_tiles(const RunRequest& request, const workload::Workload& workload,
                                int count, const ChildPlan& plan, const TrialListener& finished) {
  RunRequest open = request;
  open.tile.clear();
  report::TileSearch search;
  std::vector<RunRequest> requests;
  for (const std::string& tile : leading_texts(open, workload, static_cast<std::size_t>(count))) {
    search.tiles.push_back({tile});
    requests.push_back(open);
    requests.back().workload = workload.text;
    requests.back().tile = tile;
  }
  const std::vector<Trial> trials = run_trials(std::move(requests), plan, finished);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    search.tiles[i].time_us = trials[i].time_us;
    search.tiles[i].reason = trials[i].reason;
  }
  return search;
}

}  // namespace tcsim::run
