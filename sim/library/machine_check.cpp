#include "sim/library/machine_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sim/config/mistakes.hpp"
#include "sim/config/operator_target.hpp"
#include "sim/config/target.hpp"
#include "workloads/kernels/attention/attention_family.hpp"
#include "workloads/kernels/kernel_plan.hpp"
#include "workloads/kernels/warp_specialised.hpp"

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
  problem.block_scales = family.has_block_scales;
  if (family.groups == kernels::GroupUse::kOnly) problem.groups.rows = {kSide};
  if (family.math == kernels::MathKind::kWeights) problem.weights.bits = family.weight_bits.front();
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
  // The alignment and the batch of the sample decide otherwise.
  library->families.front().movers = {kernels::Mover::kCopy, kernels::Mover::kStaged};
  library->families.front().uses = {kernels::KernelUse::kProduct};
  library->families.front().batches = kernels::BatchUse::kAny;
  kernels::Target target = config::make_target(machine, problem);
  target.libraries = {library};
  std::string reason;
  if (family.math == kernels::MathKind::kGroup) {
    library->families.front().movers = family.movers;
    const auto group = kernels::find_warp_specialised(problem, target, reason);
    if (group) samples.push_back({problem, *group, target});
    return;
  }
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
  kernels::GemmTile tile = family.in_elements(row.tile, sample.problem.input);
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

/// An attention that rows of `family` are for, of the head size of `row`.
kernels::AttentionProblem sample_of(const kernels::AttentionFamily& family,
                                    const kernels::AttentionTile& row) {
  constexpr std::int64_t kLength = 4096;
  kernels::AttentionProblem problem{.queries = kLength, .keys = kLength, .dim = row.most_dim};
  problem.causal = row.is_causal_only;
  problem.element = family.operands.front();
  problem.algorithm = family.algorithm;
  return problem;
}

kernels::Target target_of(const kernels::AttentionFamily& family, const config::Machine& machine) {
  return config::make_attention_target(machine, {.element = family.operands.front()});
}

void add_beyond(const kernels::AttentionFamily& family, const config::Machine& machine,
                std::vector<TileProblem>& problems) {
  if (!why_none(family, machine).empty()) return;
  const kernels::Target target = target_of(family, machine);
  const auto check = [&](const std::vector<kernels::AttentionTile>& rows, const char* key) {
    for (const kernels::AttentionTile& row : rows) {
      const kernels::AttentionProblem problem = sample_of(family, row);
      if (!kernels::why_not_for(row, problem, target).empty()) continue;
      const std::string reason = kernels::why_not_fused(problem, row.tile, target);
      if (!reason.empty())
        problems.push_back({fmt::format("attention.{}.{}", family.name, key), row.line, row.column,
                            row.base, fmt::format("{}x{}", row.tile.rows, row.tile.keys), reason});
    }
  };
  check(family.tiles, "tiles");
  if (family.splits) check(family.splits->tiles, "splits.tiles");
}

constexpr const char* kNoInstructions = "lacks the instructions";

}  // namespace

std::string why_none(const KernelFamily& family, const config::Machine& machine) {
  if (!samples_of(family, machine).empty()) return {};
  if (machine.sm.shared_memory.max_bytes < family.sm_shared_from)
    return fmt::format("is for SMs with {} bytes of shared memory and more", family.sm_shared_from);
  return kNoInstructions;
}

std::string why_none(const kernels::AttentionFamily& family, const config::Machine& machine) {
  const kernels::Target target = target_of(family, machine);
  const bool has_any = !target.features.mma.empty() && kernels::has_form(target, family.form);
  return has_any ? "" : kNoInstructions;
}

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
      if (!reason.empty())
        problems.push_back({fmt::format("kernels.{}.menu", family.name), row.line, row.column,
                            row.base, fmt::format("{}x{}x{}", row.tile.m, row.tile.n, row.tile.k),
                            reason});
    }
  }
  for (const kernels::AttentionFamily& family : library.attention)
    add_beyond(family, machine, problems);
  return problems;
}

namespace {

void check_kernels(const kernels::Library& library, const config::Machine& machine,
                   config::Mistakes& mistakes) {
  const auto runs = [&](const auto& family) { return why_none(family, machine).empty(); };
  const bool is_empty = library.families.empty() && library.attention.empty();
  if (!is_empty && std::ranges::none_of(library.families, runs) &&
      std::ranges::none_of(library.attention, runs))
    mistakes.add({}, library.families.empty() ? "attention" : "kernels",
                 fmt::format("{} can run none of them: it lacks their instructions", machine.name));
}

}  // namespace

void require_kernels(const kernels::Library& library, const config::MachineFile& machine) {
  config::Mistakes mistakes(library.file);
  check_kernels(library, machine.machine, mistakes);
  mistakes.finish();
}

void require_tiles(const kernels::Library& library, const config::MachineFile& machine) {
  config::Mistakes mistakes(library.file);
  for (const std::string& base : library.bases) mistakes.add_base(base);
  for (const TileProblem& problem : tiles_beyond(library, machine.machine)) {
    mistakes.add({problem.line, problem.column, 0, problem.base}, problem.kernels,
                 fmt::format("tile {} cannot be built on {}: {}", problem.tile,
                             machine.machine.name, problem.reason));
  }
  check_kernels(library, machine.machine, mistakes);
  mistakes.finish();
}

}  // namespace tcsim::library
