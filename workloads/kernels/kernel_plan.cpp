#include "workloads/kernels/kernel_plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/cta_room.hpp"
#include "workloads/kernels/dmma_math.hpp"
#include "workloads/kernels/gemv.hpp"
#include "workloads/kernels/ldsm_math.hpp"
#include "workloads/kernels/quad_pair_math.hpp"
#include "workloads/kernels/simt_math.hpp"
#include "workloads/kernels/sparse_math.hpp"
#include "workloads/kernels/sparse_metadata.hpp"
#include "workloads/kernels/warp_specialised.hpp"
#include "workloads/kernels/weight_math.hpp"
#include "workloads/kernels/weight_order.hpp"

namespace tcsim::kernels {
namespace {

constexpr int kBufferA = 0;
constexpr int kBufferB = 1;
constexpr int kBufferD = 2;
constexpr int kBufferOfCompanion = 3;  // metadata or scales, if there are

SharedTile shared_tile(const Recipe& recipe, const GemmTile& tile, const Operand& operand) {
  SharedTile shared;
  const bool is_turned = recipe.math == MathKind::kSimt || recipe.math == MathKind::kDouble;
  shared.k_contiguous = operand.k_contiguous && !is_turned;
  shared.element_bytes = operand.element_bytes;
  shared.pitch_bytes =
      operand.element_bytes * (shared.k_contiguous ? operand.tile_k : operand.tile_across);
  shared.stages = tile.stages;
  if (tile.swizzle) {
    if (recipe.math == MathKind::kSimt)
      // Four words of padding spread a transposing store, eight k by four rows, over all banks.
      shared.pitch_bytes += operand.k_contiguous ? 4 * operand.element_bytes : 0;
    else if (recipe.math == MathKind::kDouble)
      shared.pitch_bytes = DmmaMath::pitch_bytes(operand.tile_across);
    else if (recipe.math == MathKind::kQuadPair && !shared.k_contiguous)
      shared.swizzle = quad_pair_swizzle(shared.pitch_bytes);
    else if (!shared.k_contiguous && shared.element_bytes == 4)
      shared.swizzle = word_swizzle(shared.pitch_bytes);
    else
      shared.swizzle = chunk_swizzle(shared.pitch_bytes);
  }
  shared.stage_bytes =
      shared.pitch_bytes * (shared.k_contiguous ? operand.tile_across : operand.tile_k);
  return shared;
}

Operand operand(const GemmProblem& problem, const GemmTile& tile, const Recipe& recipe, bool is_a) {
  Operand operand;
  operand.buffer = is_a ? kBufferA : kBufferB;
  operand.is_a = is_a;
  operand.k_contiguous =
      is_a ? problem.layout_a == Layout::kNormal : problem.layout_b == Layout::kTransposed;
  operand.element_bytes = element_bytes(problem.input);
  operand.vector_elements = is_a ? recipe.vector_elements_a : recipe.vector_elements_b;
  operand.tile_across = is_a ? tile.m : tile.n;
  operand.tile_k = is_a ? problem.stored_k(tile.k) : tile.k;
  operand.total_across = is_a ? problem.m : problem.n;
  operand.total_k = is_a ? problem.stored_k() : problem.k;
  if (!operand.k_contiguous) operand.interleave = recipe.word_elements;
  operand.shared = shared_tile(recipe, tile, operand);
  operand.deal = {tile.warps_m * tile.warps_n * tile.sliced_k};
  return operand;
}

/// How many elements a row has, and which rows, for a plain operand and for its k-tile.
struct Rows {
  int tile_across;
  int tile_k;
  std::int64_t total_across;
  std::int64_t total_k;
};

/// An operand whose rows lie across k and need no swizzle, because lanes read them as they are.
Operand plain_rows(const GemmTile& tile, int bytes, const Rows& rows) {
  Operand operand;
  operand.k_contiguous = false;
  operand.element_bytes = bytes;
  operand.vector_elements = kChunkBytes / bytes;
  operand.tile_across = rows.tile_across;
  operand.tile_k = rows.tile_k;
  operand.total_across = rows.total_across;
  operand.total_k = rows.total_k;
  operand.shared.k_contiguous = false;
  operand.shared.element_bytes = bytes;
  operand.shared.pitch_bytes = operand.tile_across * bytes;
  operand.shared.stage_bytes = operand.tile_bytes();
  operand.shared.stages = tile.stages;
  operand.deal = {tile.warps_m * tile.warps_n * tile.sliced_k};
  return operand;
}

/// Metadata as a matrix of bytes, one row for each k of an instruction.
Operand metadata_operand(const GemmProblem& problem, const GemmTile& tile) {
  const MetadataOrder order(problem, tile);
  Operand operand = plain_rows(tile, 1,
                               {.tile_across = tile.m * order.row_bytes(),
                                .tile_k = tile.k / MetadataOrder::step_k(problem.input),
                                .total_across = order.padded_rows() * order.row_bytes(),
                                .total_k = order.steps()});
  operand.buffer = kBufferOfCompanion;
  return operand;
}

/// Integers of B as a matrix of bytes, one row for each step of k.
Operand integer_operand(const GemmProblem& problem, const GemmTile& tile) {
  const WeightOrder order(problem);
  Operand operand = plain_rows(tile, 1,
                               {.tile_across = tile.n * order.bytes_of_column(),
                                .tile_k = tile.k / WeightOrder::kBlockK,
                                .total_across = order.row_bytes(),
                                .total_k = order.steps()});
  operand.buffer = kBufferB;
  operand.is_a = false;
  return operand;
}

/// Scales of B, one row for each group along k.
Operand scale_operand(const GemmProblem& problem, const GemmTile& tile) {
  const WeightOrder order(problem);
  Operand operand =
      plain_rows(tile, element_bytes(problem.input),
                 {.tile_across = tile.n,
                  .tile_k = static_cast<int>(std::max<std::int64_t>(1, tile.k / order.group())),
                  .total_across = order.padded_columns(),
                  .total_k = order.groups()});
  operand.buffer = kBufferOfCompanion;
  operand.is_a = false;
  operand.k_tiles_per_row = std::max<std::int64_t>(1, order.group() / tile.k);
  return operand;
}

std::optional<Operand> companion_operand(const GemmProblem& problem, const GemmTile& tile) {
  if (problem.sparse) return metadata_operand(problem, tile);
  if (problem.weights.are_packed()) return scale_operand(problem, tile);
  return std::nullopt;
}

std::unique_ptr<TileMath> tile_math(const GemmProblem& problem, const Recipe& recipe,
                                    const WarpGrid& warps, const Operand& a, const Operand& b,
                                    const std::optional<Operand>& companion) {
  const int group_k = a.tile_k / warps.groups;
  const LdsmMath::Plan matrices{warps, group_k * a.element_bytes, recipe.mma, a.shared, b.shared};
  switch (recipe.math) {
    case MathKind::kSimt:
      return std::make_unique<SimtMath>(
          SimtMath::Plan{warps, group_k, a.shared, b.shared, recipe.multiply});
    case MathKind::kQuadPair:
      return std::make_unique<QuadPairMath>(QuadPairMath::Plan{
          warps, group_k, problem.accumulate == Element::kFp16, a.shared, b.shared});
    case MathKind::kDouble:
      return std::make_unique<DmmaMath>(DmmaMath::Plan{warps, group_k, a.shared, b.shared});
    case MathKind::kSparse:
      return std::make_unique<SparseMath>(matrices, companion->shared,
                                          companion->tile_across / a.tile_across);
    case MathKind::kWeights:
      return std::make_unique<WeightMath>(
          matrices, WeightMath::Weights{.bits = problem.weights.bits,
                                        .is_bf16 = problem.input == Element::kBf16,
                                        .group = WeightOrder(problem).group(),
                                        .scale_rows = companion->tile_k,
                                        .scales = companion->shared});
    case MathKind::kGroup:  // has its own plan
    case MathKind::kLdsm:
      break;
  }
  return std::make_unique<LdsmMath>(matrices);
}

/// Registers for addresses and predicates. Copying kernels: fitted to our builds (kernels.md 1.3; 6
/// too many for 64x64x64). Staging kernels: 122 for an FP32 kernel (kernels.md 1.3); others by
/// analogy (assumption).
int address_registers(const Recipe& recipe, const Operand& a, const Operand& b, int loads) {
  if (recipe.mover == Mover::kStaged) return recipe.math == MathKind::kSimt ? 18 : 16;
  if (recipe.math == MathKind::kSimt) return AddressWork::kFewestRegisters;
  if (recipe.math == MathKind::kDouble) return 20 + loads;
  return a.k_contiguous && b.k_contiguous ? 22 + 2 * loads : 20 + 4 * loads / 3;
}

RegisterPlan register_plan(const Recipe& recipe, const TileMath& math, const Operand& a,
                           const Operand& b, const std::optional<Operand>& companion, int loads) {
  constexpr int kAlignment = 4;  // a 128-bit operand
  const auto staged = [&](const Operand& operand) {
    if (recipe.mover == Mover::kCopy) return 0;
    return align_up(operand.rounds() * std::max(1, operand.vector_bytes() / 4), kAlignment);
  };
  RegisterPlan plan;
  plan.fragments = align_up(math.accumulator_registers(), kAlignment);
  plan.staged_a = plan.fragments + align_up(math.buffered_registers(), kAlignment);
  plan.staged_b = plan.staged_a + staged(a);
  plan.staged_companion = plan.staged_b + staged(b);
  plan.turning = plan.staged_companion + (companion ? staged(*companion) : 0);
  plan.staged_end = plan.turning + (a.interleave > 1 || b.interleave > 1 ? kAlignment : 0);
  plan.addresses = plan.staged_end;
  const int kept = plan.addresses + address_registers(recipe, a, b, loads);
  // A gathering kernel uses what is left.
  plan.total = std::max(kept, std::min(kMostRegisters, kept + recipe.addressing.registers));
  return plan;
}

/// The parts of a tile whose depth may be too small.
std::string depth_words(const GemmTile& tile) {
  return tile.sliced_k > 1 ? "a warp group's part of a k-tile" : "a k-tile";
}

/// What is wrong with the warp tiles and the depth of a kernel on tensor cores.
std::string tensor_shape_problem(const GemmTile& tile, const GemmProblem& problem,
                                 const Recipe& recipe) {
  const std::string depth = depth_words(tile);
  const int group_k = tile.k / tile.sliced_k;
  const int warp_m = tile.m / tile.warps_m;
  const int warp_n = tile.n / tile.warps_n;
  const int least = recipe.math == MathKind::kQuadPair ? 32 : 16;
  if (warp_m < least || warp_n < least)
    return "warp tiles must be at least " + std::to_string(least) + " on each side";
  if (recipe.math == MathKind::kWeights && warp_n < WeightOrder::kBlockColumns)
    return "warp tiles must be at least " + std::to_string(WeightOrder::kBlockColumns) +
           " wide where weights are packed";
  if (recipe.math == MathKind::kLdsm || recipe.math == MathKind::kWeights)
    if (std::string reason = why_not_held(recipe.mma, tile, problem); !reason.empty())
      return reason;
  if (recipe.math == MathKind::kQuadPair && group_k < 16)
    return depth + " must be at least 16 deep";
  if (recipe.math == MathKind::kDouble && group_k < 2 * DmmaMath::kStepK)
    return depth + " must be at least 8 deep";
  if (recipe.math == MathKind::kSparse) {
    if (group_k < 2 * MetadataOrder::step_k(problem.input))
      return depth + " must be at least " +
             std::to_string(2 * MetadataOrder::step_k(problem.input)) + " deep where A is sparse";
    if (const int rows = MetadataOrder(problem, tile).rows(); warp_m < rows)
      return "warp tiles must be at least " + std::to_string(rows) + " high where A is sparse";
  }
  return {};
}

/// What is wrong with a side that is not a power of two. LDSM loads its fragments, each of 16 rows
/// or columns, and its k-tiles are dealt to threads by whole rows along k.
std::string odd_side_problem(const GemmTile& tile, const GemmProblem& problem,
                             const Recipe& recipe) {
  const auto check = [&](int side, int warps, int of_mma, bool lies_along_k) -> std::string {
    if (is_power_of_two(side)) return {};
    const std::string text = "a side of " + std::to_string(side);
    if (recipe.math != MathKind::kLdsm) return text + ": these kernels need powers of two";
    const int fragment = std::max(16, of_mma);
    if (side % (warps * fragment) != 0)
      return text + ": its warp tiles must be multiples of " + std::to_string(fragment);
    if (!lies_along_k) return text + ": its operand must lie along k";
    return {};
  };
  const isa::OpcodeInfo& mma = isa::opcode_info(recipe.mma);
  std::string what = check(tile.m, tile.warps_m, mma.m, problem.layout_a == Layout::kNormal);
  if (what.empty())
    what = check(tile.n, tile.warps_n, mma.n, problem.layout_b == Layout::kTransposed);
  return what;
}

/// True if `tile` asks for something that only warpgroup kernels have.
bool is_of_warpgroups(const GemmTile& tile) {
  return tile.cluster_m * tile.cluster_n > 1 || tile.swapped || tile.half_boxes ||
         tile.waits_each_k_tile;
}

std::string shape_problem(const GemmTile& tile, const GemmProblem& problem, const Recipe& recipe) {
  if (recipe.math == MathKind::kGroup) return warp_specialised_problem(problem, tile);
  if (tile.roles != WarpRoles::kUniform) return "these kernels have no roles";
  if (is_of_warpgroups(tile))
    return "clusters, swapped, halfboxes and waited need warpgroups, with coop or pingpong";
  for (const int side : {tile.k, tile.warps_m, tile.warps_n, tile.sliced_k})
    if (!is_power_of_two(side)) return "the depth of k-tiles and warp counts must be powers of two";
  if (tile.m < tile.warps_m || tile.n < tile.warps_n) return "more warps than rows or columns";
  if (std::string what = odd_side_problem(tile, problem, recipe); !what.empty()) return what;
  if (tile.warps_m * tile.warps_n * tile.sliced_k > kMostWarps) return "a CTA has at most 32 warps";
  const int group_k = tile.k / tile.sliced_k;
  const int warp_m = tile.m / tile.warps_m;
  const int warp_n = tile.n / tile.warps_n;
  if (recipe.math == MathKind::kSimt) {
    if (!(warp_m == 32 && warp_n == 64) && !(warp_m == 64 && warp_n == 32) &&
        !(warp_m == 32 && warp_n == 32))
      return "warp tiles of CUDA-core kernels must be 32x64, 64x32 or 32x32";
    if (group_k < 4) return depth_words(tile) + " must be at least 4 deep";
  } else if (std::string what = tensor_shape_problem(tile, problem, recipe); !what.empty()) {
    return what;
  }
  if (tile.stages < 2) return "a pipeline needs at least two stages";
  if (recipe.mover == Mover::kStaged && tile.stages != 2)
    return "kernels that stage through registers have two stages";
  return {};
}

/// Why k cannot be cut into the tile's slices.
std::string split_problem(const GemmProblem& problem, const GemmTile& tile) {
  if (tile.split_k == 1) return {};
  if (tile.serial_k && !may_take_turns(problem))
    return "slices that take turns need FP32 sums, or must store their sums as they are";
  if (KSlices::leaves_empty_slice(problem, tile)) return KSlices::empty_slice_text(problem, tile);
  return {};
}

/// The product as a kernel of words sees it: 32 bits of A and B are one element. FP16 sums leave
/// the main loop as FP32.
GemmProblem in_words(GemmProblem problem, const Recipe& recipe) {
  if (recipe.word_elements == 1) return problem;
  problem.k /= recipe.word_elements;
  problem.input = Element::kInt32;
  if (problem.accumulate == Element::kFp16) problem.accumulate = Element::kFp32;
  return problem;
}

}  // namespace

MathRegisters KernelPlan::math_registers() const {
  const AddressWork work(registers.addresses, registers.address_count(),
                         recipe.has_uniform_datapath);
  return {registers.accumulators, registers.fragments, work.fragment_address_a(),
          work.fragment_address_b()};
}

Epilogue KernelPlan::epilogue(const EpiloguePost& following) const {
  const Result result = tile.has_workspace() ? Result::kPartialSums : Result::kProduct;
  const bool is_partial = result == Result::kPartialSums;
  return {problem,
          tile,
          warps,
          math->accumulators(math_registers()),
          result,
          kBufferD,
          is_partial ? OutputPlace(problem) : output,
          is_partial ? EpiloguePost{} : following,
          recipe.has_packing};
}

int KernelPlan::shared_bytes() const {
  int stage = 0;
  for (const Operand* operand : operands()) stage += operand->shared.stage_bytes;
  return std::max(tile.stages * stage, epilogue().shared_bytes());
}

std::vector<const Operand*> KernelPlan::operands() const {
  std::vector<const Operand*> all{&a, &b};
  if (companion) all.push_back(&*companion);
  return all;
}

int KernelPlan::copies() const {
  int copies = 0;
  for (const Operand* operand : operands()) copies += operand->rounds();
  return copies;
}

KernelPlan plan_kernel(const GemmProblem& asked, const GemmTile& tile, const Recipe& recipe) {
  const GemmProblem problem = in_words(asked, recipe);
  const WarpGrid warps{tile.warps_m, tile.warps_n, tile.m / tile.warps_m, tile.n / tile.warps_n,
                       tile.sliced_k};
  Operand a = operand(problem, tile, recipe, true);
  Operand b = problem.weights.are_packed() ? integer_operand(problem, tile)
                                           : operand(problem, tile, recipe, false);
  b.shared.base = a.shared.stages * a.shared.stage_bytes;
  std::optional<Operand> companion = companion_operand(problem, tile);
  if (companion) companion->shared.base = b.shared.base + b.shared.stages * b.shared.stage_bytes;
  std::unique_ptr<TileMath> math = tile_math(problem, recipe, warps, a, b, companion);
  const int loads = a.rounds() + b.rounds() + (companion ? companion->rounds() : 0);
  const RegisterPlan registers = register_plan(recipe, *math, a, b, companion, loads);
  int next_buffer = (companion ? kBufferOfCompanion : kBufferD) + 1;
  KernelPlan plan{problem,
                  tile,
                  recipe,
                  warps,
                  Raster(problem, tile),
                  a,
                  b,
                  companion,
                  std::move(math),
                  registers,
                  OutputPlace(problem),
                  EpiloguePost(problem.epilogue, next_buffer),
                  {},
                  {}};
  next_buffer += plan.post.vectors() + plan.post.matrices();
  if (tile.serial_k) plan.post = plan.post.adding_to(kBufferD);
  if (tile.serial_k || tile.stream_k) plan.flags = next_buffer++;
  if (tile.stream_k) plan.partial_sums = next_buffer;
  make_room_for_epilogue(plan);
  return plan;
}

KernelPlan plan_for(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  std::string reason;
  const std::optional<Recipe> recipe = find_recipe(problem, target, reason);
  if (!recipe) throw std::invalid_argument("gemm: " + reason);
  KernelPlan plan = plan_kernel(problem, tile, *recipe);
  if (tile.stream_k) plan.raster.deal(target.sms, std::max(1, ctas_per_sm(plan, target)));
  return plan;
}

std::string why_not(const GemmProblem& problem, const GemmTile& tile, const Recipe& recipe,
                    const Target& target) {
  if (recipe.math == MathKind::kGroup) return why_not_warp_specialised(problem, tile, target);
  if (std::string shape = shape_problem(tile, problem, recipe); !shape.empty()) return shape;
  const KernelPlan plan = plan_kernel(problem, tile, recipe);
  if (std::string reason = why_no_room(plan.needs(), target); !reason.empty()) return reason;
  if (plan.post.vectors() > 0 && !plan.epilogue().keeps_columns())
    return "the tile has more columns than threads, so that scale and bias do not fit registers";
  if (plan.epilogue().registers() > plan.registers.staged_end - plan.registers.fragments)
    return "the registers of the fragments do not hold a row group of D";
  if (std::string dealt = stream_k_problem(plan.problem, tile); !dealt.empty()) return dealt;
  if (!tile.stream_k && plan.raster.grid()[1] > isa::kLargestGrid[1])
    return "its columns of tiles exceed the 65535 CTAs of a grid's y";
  if (plan.raster.grid()[2] > isa::kLargestGrid[2])
    return "batch times slices exceeds the 65535 CTAs of a grid's z";
  return split_problem(plan.problem, tile);
}

bool may_take_turns(const GemmProblem& problem) {
  return problem.accumulate == Element::kFp32 || problem.accumulate == problem.output;
}

std::string why_not_held(isa::Opcode mma, const GemmTile& tile, const GemmProblem& problem) {
  const isa::OpcodeInfo& info = isa::opcode_info(mma);
  if (tile.m / tile.warps_m < info.m || tile.n / tile.warps_n < info.n)
    return "warp tiles must hold an " + std::string(info.mnemonic);
  const int two_steps = 2 * LdsmMath::step_bytes(mma);
  if (tile.k / tile.sliced_k * element_bytes(problem.input) < two_steps)
    return depth_words(tile) + " must be at least " + std::to_string(two_steps) + " bytes deep";
  return {};
}

std::string stream_k_problem(const GemmProblem& problem, const GemmTile& tile) {
  if (!tile.stream_k) return {};
  if (tile.split_k > 1 && !are_warpgroups(tile.roles))
    return "stream-K divides k by itself, without slices";
  if (tile.sliced_k > 1) return "stream-K has one group of warps";
  if (problem.batch > 1) return "stream-K multiplies one matrix, not a batch";
  if (problem.sparse) return "stream-K has no kernel for a sparse A";
  // isa::validate checks what each CTA does with each tile, for at most 2^17 of them; a tile that
  // CTAs share counts once for each CTA.
  constexpr std::int64_t kMostTiles = 98'304;
  if (ceil_div<std::int64_t>(problem.m, tile.m) * ceil_div<std::int64_t>(problem.n, tile.n) >
      kMostTiles)
    return "stream-K deals at most 98304 tiles";
  constexpr std::int64_t kMostKTiles = std::int64_t{1} << 31;
  const auto k_tiles = ceil_div<std::int64_t>(problem.m, tile.m) *
                       ceil_div<std::int64_t>(problem.n, tile.n) *
                       ceil_div<std::int64_t>(problem.k, tile.k);
  if (k_tiles >= kMostKTiles) return "stream-K counts k-tiles of all tiles in 31 bits";
  return {};
}

void make_room_for_epilogue(KernelPlan& plan) {
  if (!plan.post.changes_values() || plan.tile.has_workspace()) return;
  constexpr int kAlignment = 4;  // a 128-bit operand
  RegisterPlan& registers = plan.registers;
  const int there = registers.staged_end - registers.fragments;
  const int missing = std::max(0, align_up(plan.epilogue().registers() - there, kAlignment));
  registers.staged_end += missing;
  registers.addresses += missing;
  registers.total += missing;
}

std::string tile_problem(const KernelFamily& family, const MenuTile& row, Element input) {
  GemmTile tile = family.in_elements(row.tile, input);
  Recipe recipe;
  recipe.math = family.math;
  GemmProblem problem{.m = tile.m, .n = tile.n, .k = tile.k, .input = input};
  problem.sparse = family.math == MathKind::kSparse;
  problem.block_scales = family.has_block_scales;
  if (family.math == MathKind::kWeights) problem.weights.bits = family.weight_bits.front();
  if ((family.math == MathKind::kGroup) != are_warpgroups(tile.roles))
    return "tiles with roles need wgmma";
  if (family.math == MathKind::kGroup && input == Element::kInt8)
    problem.accumulate = problem.output = Element::kInt32;
  for (const Mover mover : family.movers) {
    recipe.mover = mover;
    for (tile.stages = row.least_stages; tile.stages <= row.most_stages; ++tile.stages)
      if (std::string reason = shape_problem(tile, problem, recipe); !reason.empty()) return reason;
  }
  return {};
}

std::string why_no_tile(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  if (are_warpgroups(tile.roles)) return why_not_warp_specialised(problem, tile, target);
  if (tile.roles == WarpRoles::kGemv) return why_not_gemv(problem, tile, target);
  std::string reason;
  const std::optional<Recipe> recipe = find_recipe(problem, target, reason);
  return recipe ? why_not(problem, tile, *recipe, target) : reason;
}

}  // namespace tcsim::kernels
