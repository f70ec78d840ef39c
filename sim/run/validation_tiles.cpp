#include "sim/run/validation_tiles.hpp"

#include "sim/config/operator_target.hpp"
#include "sim/config/target.hpp"
#include "sim/run/prepare/unit.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::run {
namespace {

using kernels::ConvAlgorithm;
using kernels::GemmTile;

std::vector<GemmTile> conv_tiles(const workload::ConvWork& work, const kernels::Target& target,
                                 std::size_t count) {
  std::optional<ConvAlgorithm> algorithm = work.algorithm;
  if (!algorithm) {
    const auto plan = choose_conv(work.problem, target);
    if (!plan) return {};
    algorithm = plan->algorithm;
  }
  if (!why_no_conv_kernel(work.problem, *algorithm, target).empty()) return {};
  return leading_conv_tiles(work.problem, *algorithm, target, count);
}

std::vector<GemmTile> leading(workload::Workload workload, const std::string& unit,
                              const config::Machine& machine, std::size_t count) {
  if (auto* gemm = std::get_if<kernels::GemmProblem>(&workload.work)) {
    take_unit(unit, *gemm);
    return leading_tiles(*gemm, config::make_target(machine, *gemm), count);
  }
  if (auto* conv = std::get_if<workload::ConvWork>(&workload.work)) {
    take_unit(unit, conv->problem);
    return conv_tiles(*conv, config::make_conv_target(machine, conv->problem), count);
  }
  return {};
}

}  // namespace

std::vector<std::string> other_tiles(const validate::Measurement& row,
                                     const config::Machine& machine, std::size_t count) {
  if (count < 2 || !row.tile.empty()) return {};
  const std::vector<GemmTile> tiles =
      leading(workload::parse_workload(row.workload).front(), row.unit, machine, count);
  std::vector<std::string> texts;
  for (std::size_t i = 1; i < tiles.size(); ++i) texts.push_back(tiles[i].text());
  return texts;
}

}  // namespace tcsim::run
