#include "sim/library/machine_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sim/config/mistakes.hpp"
#include "sim/config/target.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::library {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::KernelFamily;
using kernels::MenuTile;

/// A product as large as a tile, and what the machine would compute it with.
struct Sample {
  GemmProblem problem;
  kernels::Recipe recipe;
  kernels::Target target;
};

Element sums_of(Element operands) {
  if (operands == Element::kInt8) return Element::kInt32;
  return operands == Element::kFp64 ? Element::kFp64 : Element::kFp32;
}

/// The product of which kernels of `family` may have as many resources as of any.
GemmProblem sample_problem(const KernelFamily& family, Element operands, Element result) {
  constexpr std::int64_t kSide = 4096;
  GemmProblem problem{.m = kSide, .n = kSide, .k = kSide, .input = operands, .output = result};
  problem.accumulate = sums_of(operands);
  problem.sparse = family.math == kernels::MathKind::kSparse;
  if (family.math == kernels::MathKind::kSimt) {
    problem.unit = kernels::Unit::kCudaCore;
    if (operands == Element::kFp16) problem.accumulate = Element::kFp16;
  }
  return problem;
}

/// Adds `problem` if `machine` has the instructions.
void add_sample(const KernelFamily& family, const GemmProblem& problem,
                const config::Machine& machine, std::vector<Sample>& samples) {
  auto library = std::make_shared<kernels::Library>();
  library->families.push_back(family);
  // The alignment of the sample decides otherwise.
  library->families.front().movers = {kernels::Mover::kCopy, kernels::Mover::kStaged};
  library->families.front().uses = {kernels::KernelUse::kProduct};
  kernels::Target target = config::make_target(machine, problem);
  target.libraries = {library};
  std::string reason;
  auto recipe = kernels::find_recipe(problem, target, reason);
  const bool copies = family.movers.front() == kernels::Mover::kCopy;
  if (!recipe || (copies && !target.features.async_copy)) return;
  recipe->mover = family.movers.front();
  samples.push_back({problem, *recipe, target});
}

/// Why `row` cannot be built; empty if it can in some of its stages.
std::string why_not_in_any_stages(const KernelFamily& family, const MenuTile& row,
                                  const Sample& sample) {
  std::string reason;
  kernels::GemmTile tile = row.tile;
  if (family.k_unit_bytes > 0)
    tile.k = tile.k * family.k_unit_bytes / kernels::element_bytes(sample.problem.input);
  for (tile.stages = row.most_stages; tile.stages >= row.least_stages; --tile.stages) {
    reason = kernels::why_not(sample.problem, tile, sample.recipe, sample.target);
    if (reason.empty()) return {};
  }
  return reason;
}

/// One for each type and layout that `machine` multiplies by the instructions of `family`.
std::vector<Sample> samples_of(const KernelFamily& family, const config::Machine& machine) {
  using kernels::Layout;
  std::vector<Sample> samples;
  for (const Element operands : family.operands)
    for (const Element result : family.results)
      for (const Layout layout_a : {Layout::kNormal, Layout::kTransposed})
        for (const Layout layout_b : {Layout::kTransposed, Layout::kNormal}) {
          GemmProblem problem = sample_problem(family, operands, result);
          problem.layout_a = layout_a;
          problem.layout_b = layout_b;
          add_sample(family, problem, machine, samples);
          problem.accumulate = Element::kFp16;  // half the registers
          add_sample(family, problem, machine, samples);
        }
  return samples;
}

}  // namespace

std::vector<TileProblem> tiles_beyond(const kernels::Library& library,
                                      const config::Machine& machine) {
  std::vector<TileProblem> problems;
  for (const KernelFamily& family : library.families) {
    const std::vector<Sample> samples = samples_of(family, machine);
    for (const MenuTile& row : family.tiles) {
      std::string reason;
      for (const Sample& sample : samples) {
        const std::string why = why_not_in_any_stages(family, row, sample);
        if (reason.empty()) reason = why;
        if (!why.empty()) continue;
        reason.clear();
        break;
      }
      if (!reason.empty()) problems.push_back({&row, family.name, reason});
    }
  }
  return problems;
}

void require_tiles(const kernels::Library& library, const config::MachineFile& machine) {
  config::Mistakes mistakes(library.file);
  for (const TileProblem& problem : tiles_beyond(library, machine.machine)) {
    const MenuTile& row = *problem.row;
    mistakes.add({row.line, row.column, 0}, fmt::format("kernels.{}.menu", problem.family),
                 fmt::format("tile {}x{}x{} cannot be built on {}: {}", row.tile.m, row.tile.n,
                             row.tile.k, machine.machine.name, problem.reason));
  }
  const auto runs = [&](const KernelFamily& family) {
    return !samples_of(family, machine.machine).empty();
  };
  if (!library.families.empty() && std::ranges::none_of(library.families, runs))
    mistakes.add({}, "kernels",
                 fmt::format("{} has the instructions of none of them", machine.machine.name));
  mistakes.finish();
}

}  // namespace tcsim::library
