#include "workloads/kernels/warp_specialised.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "workloads/kernels/program_builder.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels {
namespace {

using namespace warpgroups;  // NOLINT: this file is the other half of it
using isa::BarrierOperand;
using isa::Expression;
using isa::kBarrierBytes;
using isa::kGroupRows;
using isa::kGroupWarps;
using isa::Opcode;
using isa::Term;
using isa::Variable;
using Shape = WarpgroupPlan;

constexpr int kFirstSums = 24;
constexpr int kRegisters = 168;  ///< 65536 / 384 threads, in steps of 8
constexpr int kWarps = kGroupWarps * (1 + kConsumers);

/// consumer * weight, for warps behind the producer's warpgroup.
void add_consumer(Expression& sum, std::int64_t weight) {
  sum.constant -= weight;
  sum.terms.push_back({Variable::kWarp, weight, kGroupWarps});
}

enum Map : int { kMapA, kMapB, kMapD };

isa::TensorMap tensor_map(const char* name, int buffer, int bytes, std::int64_t inner,
                          std::int64_t outer, std::int64_t batch, int rows) {
  isa::TensorMap map{.name = name, .buffer = buffer, .element_bytes = bytes};
  map.extents = {inner, outer, batch};
  map.strides = {inner * bytes, inner * outer * bytes};
  map.box = {kRowBytes / bytes, rows, 1};
  map.swizzle = kSwizzle;
  return map;
}

std::vector<isa::TensorMap> tensor_maps(const Shape& shape) {
  const GemmProblem& problem = shape.problem;
  return {
      tensor_map("A", 0, shape.bytes(), problem.k, problem.m, problem.batch,
                 shape.tile.m / (shape.shares_a() ? shape.cluster() : 1)),
      tensor_map("B", 1, shape.bytes(), problem.k, problem.n, problem.batch,
                 shape.tile.n / (shape.shares_b() ? shape.cluster() : 1)),
      tensor_map("D", 2, shape.output_bytes(), problem.n, problem.m, problem.batch, kGroupRows)};
}

/// Only the first warp of each warpgroup, which signals for it.
int first_warp(ProgramBuilder& builder) {
  return builder.guard({{{{0, {{Variable::kWarp, 1, 1, kGroupWarps}}}, 1}}});
}

void emit_setup(const Shape& shape, ProgramBuilder& builder) {
  const int one = builder.guard({{{{0, {{Variable::kWarp, 1}}}, 1}}});
  const auto init = [&](int address, int arrivals) {
    builder.append(Opcode::kSyncsExch, BarrierOperand{{address}, {arrivals}}, one);
  };
  for (int i = 0; i < 4; ++i)  // CTA number in x, y, z; thread number
    builder.append(arithmetic(Opcode::kS2r, reg(i)));
  for (int stage = 0; stage < shape.tile.stages; ++stage) {
    init(shape.full(stage), 1);
    init(shape.empty(stage), shape.cluster() * (shape.is_ping_pong ? 1 : kConsumers));
  }
  for (int consumer = 0; consumer < kConsumers; ++consumer) {
    init(shape.meeting(consumer), kGroupWarps);
    init(shape.turn(consumer), 1);
  }
  if (shape.cluster() == 1) return builder.append(control(Opcode::kBarSync));
  builder.append(control(Opcode::kClusterArrive));
  builder.append(control(Opcode::kClusterWait));
}

isa::WarpProgram idle_program(const Shape& shape) {
  ProgramBuilder builder("idle");
  emit_setup(shape, builder);
  return builder.finish();
}

/// Fills stage after stage.
isa::WarpProgram producer_program(const Shape& shape) {
  const Walk walk = Walk::of_producer(shape);
  ProgramBuilder builder("producer");
  emit_setup(shape, builder);
  // Of what the cluster shares each CTA reads its part, for all of them.
  const auto load = [&](Map map, Expression across, int offset, int rows, bool is_shared) {
    const int k = kRowBytes / shape.bytes();
    const int part = rows / shape.cluster();
    if (is_shared) across.terms.push_back(rank_term(part, shape.cluster()));
    isa::TileOperand tile{
        .map = map,
        .coordinates = {{0, {{kStepLoop, k}}}, across, walk.matrix()},
        .shared = walk.stage(shape.first_stage() + offset, shape.stage_bytes(), 0),
        .barrier = walk.stage(shape.full(0), kBarrierBytes, 0)};
    if (is_shared) {
      tile.shared.terms.push_back(rank_term(std::int64_t{part} * kRowBytes, shape.cluster()));
      tile.ranks = {(1 << shape.cluster()) - 1};
    }
    builder.append(is_shared ? Opcode::kUtmaldgMulticast3d : Opcode::kUtmaldg3d, tile);
  };
  const isa::Variable all_tiles = isa::uniform_variable(0);
  if (shape.cluster() > 1) builder.set_uniforms({walk.trips()});
  builder.begin_loop();
  builder.begin_loop();
  builder.append(Opcode::kSyncsTryWait, BarrierOperand{walk.stage(shape.empty(0), kBarrierBytes, 0),
                                                       walk.parity(0, /*opposite=*/true)});
  builder.append(
      Opcode::kSyncsArriveBytes,
      BarrierOperand{walk.stage(shape.full(0), kBarrierBytes, 0), {shape.stage_bytes()}});
  load(kMapA, walk.row(0, shape.tile.m), 0, shape.tile.m, shape.shares_a());
  load(kMapB, walk.column(0, shape.tile.n), shape.a_bytes(), shape.tile.n, shape.shares_b());
  builder.end_loop(shape.k_tiles);
  builder.end_loop(walk.trips());
  // Its shared memory stays until the others have given all stages back.
  for (int ahead = 0; shape.cluster() > 1 && ahead < shape.tile.stages; ++ahead)
    builder.append(
        Opcode::kSyncsTryWait,
        BarrierOperand{walk.stage_behind(shape.empty(0), kBarrierBytes, ahead, all_tiles),
                       walk.parity_behind(ahead, all_tiles)});
  return builder.finish();
}

/// What both consumers execute.
class Consumer {
 public:
  explicit Consumer(const Shape& shape)
      : shape_(shape), walk_(Walk::of_consumer(shape)), builder_("consumer") {}

  isa::WarpProgram make() {
    emit_setup(shape_, builder_);
    if (shape_.is_ping_pong)
      builder_.begin_skippable_loop();
    else
      builder_.begin_loop();
    if (shape_.is_ping_pong) wait_for_turn();
    emit_sums();
    emit_store();
    builder_.end_loop(walk_.trips());
    builder_.append(control(Opcode::kDepbar, 0));
    return builder_.finish();
  }

 private:
  /// Products of k-tile `ahead` + kStepLoop; the first ones of a tile clear the sums.
  void multiply(int ahead, bool clears) {
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{walk_.stage(shape_.full(0), kBarrierBytes, ahead),
                                   walk_.parity(ahead, /*opposite=*/false)});
    builder_.append(control(Opcode::kWarpgroupArrive));
    for (int step = 0; step < shape_.steps(); ++step)
      for (int block = 0; block < shape_.blocks(); ++block) {
        isa::Instruction product{.opcode = shape_.product, .dst = sums(block)};
        product.src[2] = sums(block);
        const bool is_last = step + 1 == shape_.steps() && block + 1 == shape_.blocks();
        product.immediate =
            (is_last ? isa::kClosesGroup : 0) | (clears && step == 0 ? isa::kClearsSums : 0);
        const int along = isa::kGroupRowBytes * step;
        isa::MatrixDescriptor a = descriptor(ahead, along + block * kGroupRows * kRowBytes);
        if (!shape_.is_ping_pong) add_consumer(a.start, shape_.blocks() * kGroupRows * kRowBytes);
        product.access =
            builder_.async(isa::MatrixOperands{a, descriptor(ahead, shape_.a_bytes() + along)});
        builder_.append(product);
      }
  }

  [[nodiscard]] isa::MatrixDescriptor descriptor(int ahead, int offset) const {
    return {.start = walk_.stage(shape_.first_stage() + offset, shape_.stage_bytes(), ahead),
            .stride_bytes = kPatternBytes,
            .swizzle = kSwizzle};
  }

  [[nodiscard]] isa::Register sums(int block) const {
    return reg(kFirstSums + block * shape_.sums_of_block());
  }

  /// Gives the stage of k-tile `ahead` + kStepLoop back.
  void give_back(int ahead) {
    const Expression empty = walk_.stage(shape_.empty(0), kBarrierBytes, ahead);
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{empty, {}}, first_warp(builder_));
    for (int other = 1; other < shape_.cluster(); ++other)
      builder_.append(Opcode::kSyncsArriveRemote,
                      BarrierOperand{empty, {0, {rank_term(1, shape_.cluster(), other)}}},
                      first_warp(builder_));
  }

  /// One group of products stays open while the next k-tile is waited for.
  void emit_sums() {
    multiply(0, /*clears=*/true);
    if (shape_.k_tiles > 1) {
      builder_.begin_loop();
      multiply(1, /*clears=*/false);
      builder_.append(control(Opcode::kWarpgroupDepbar, 1));
      give_back(0);
      builder_.end_loop(shape_.k_tiles - 1);
    }
    if (shape_.is_ping_pong) hand_over_turn();
    builder_.append(control(Opcode::kWarpgroupDepbar, 0));
    give_back(static_cast<int>(shape_.k_tiles) - 1);
  }

  /// Ping-pong: consumers multiply in turns; the first one begins.
  void wait_for_turn() {
    Expression address{shape_.turn(0)};
    add_consumer(address, kBarrierBytes);
    // Phases of the first consumer are over one trip earlier.
    const std::vector<Term> phase{{kTileLoop, 1}, {Variable::kWarp, 1, kGroupWarps}};
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{address, {0, {}, {divided(1, 0, phase, 1, 2)}}});
  }
  void hand_over_turn() {
    Expression address{shape_.turn(0) + (kConsumers - 1) * kBarrierBytes};
    add_consumer(address, -kBarrierBytes);
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{address, {}}, first_warp(builder_));
  }

  /// The warps of the warpgroup meet for the time number `times` in this tile.
  void meet(int times) {
    Expression address{shape_.meeting(0)};
    add_consumer(address, kBarrierBytes);
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{address, {}});
    builder_.append(Opcode::kSyncsTryWait, BarrierOperand{address, {times % 2}});
  }

  /// D leaves in boxes of 64 rows and 128 bytes.
  void emit_store() {
    const int per_block = shape_.tile.n / shape_.store_columns();
    for (int box = 0; box < shape_.boxes(); ++box) {
      // Its buffer has been read: that of the box before the last one, or of the last one where the
      // boxes of a tile are odd in number.
      const bool is_next_to_own = box == 0 && shape_.boxes() % kStoreBuffers != 0;
      builder_.append(control(Opcode::kDepbar, is_next_to_own ? 0 : kStoreBuffers - 1));
      meet(2 * box);
      stage_box(box / per_block, box % per_block, box % kStoreBuffers);
      builder_.append(control(Opcode::kFenceViewAsync));
      meet(2 * box + 1);
      Expression row = walk_.row(box / per_block * kGroupRows, shape_.tile.m);
      if (!shape_.is_ping_pong) add_consumer(row, shape_.blocks() * kGroupRows);
      builder_.append(
          Opcode::kUtmastg3d,
          isa::TileOperand{
              .map = kMapD,
              .coordinates = {walk_.column(box % per_block * shape_.store_columns(), shape_.tile.n),
                              row, walk_.matrix()},
              .shared = store_buffer(box % kStoreBuffers)},
          first_warp(builder_));
      builder_.append(control(Opcode::kUtmacmdflush));
    }
  }

  [[nodiscard]] Expression store_buffer(int buffer) const {
    Expression result{shape_.first_store() + buffer * kStoreBytes};
    add_consumer(result, kStoreBuffers * kStoreBytes);
    return result;
  }

  /// Sums of columns [part, part + 1) * store_columns of a block, as D has them, to shared memory.
  /// Register 4j + i of a block of 32-bit sums holds column 8j + 2 (lane mod 4) + i mod 2 of row
  /// lane / 4 + 8 (i / 2); of FP16 sums register 2j + i holds two columns of row lane / 4 + 8i.
  void stage_box(int block, int part, int buffer) {
    const bool has_pairs = shape_.problem.accumulate == Element::kFp16;
    const bool packs = !has_pairs && shape_.output_bytes() == 2;
    const int word_bytes = shape_.output_bytes() * 2;  // of two columns
    const int blocks8 = shape_.store_columns() / 8;
    for (int j = 0; j < blocks8; ++j)
      for (int half = 0; half < 2; ++half) {
        const int column8 = part * blocks8 + j;
        const int first = sums(block) + (has_pairs ? 2 * column8 + half : 4 * column8 + 2 * half);
        if (packs)
          builder_.append(arithmetic(
              shape_.problem.output == Element::kBf16 ? Opcode::kF2fpBf16 : Opcode::kF2fp,
              reg(first), reg(first + 1), reg(first)));
        isa::MemoryAccess access;
        access.shared.offset = store_buffer(buffer);
        access.shared.offset.constant += 8 * half * kRowBytes + 4 * word_bytes * j;
        for (const Term& term :
             {Term{Variable::kWarp, 16 * kRowBytes, 1, kGroupWarps},
              Term{Variable::kLane, kRowBytes, 4}, Term{Variable::kLane, word_bytes, 1, 4}})
          access.shared.offset.terms.push_back(term);
        access.shared.swizzle = isa::swizzle_of(kSwizzle);
        builder_.append(store(word_bytes == 4 ? Opcode::kSts32 : Opcode::kSts64, reg(first),
                              isa::kZeroRegister, builder_.access(access)));
      }
  }

  const Shape& shape_;
  const Walk walk_;
  ProgramBuilder builder_;
};

std::string why_no_formats(const GemmProblem& problem) {
  if (!formats_of(problem))
    return "no product of warpgroups has these operand and accumulator types";
  const bool natural = problem.output == problem.accumulate;
  const bool narrowed = problem.accumulate == Element::kFp32 &&
                        (problem.output == Element::kFp16 || problem.output == Element::kBf16);
  if (!natural && !narrowed) return "kernels of warpgroups do not store D in this format";
  if (problem.epilogue.changes_values())
    return "kernels of warpgroups have no scale, bias, residual or activation";
  if (problem.layout_a != Layout::kNormal || problem.layout_b != Layout::kTransposed)
    return "kernels of warpgroups take operands along k (layout nt)";
  return {};
}

/// TMA's strides are multiples of 16 bytes.
std::string why_no_rows(const GemmProblem& problem) {
  constexpr int kStride = 16;
  const auto row = [](const char* name, std::int64_t elements, Element element) -> std::string {
    const std::int64_t bytes = elements * element_bytes(element);
    if (bytes % kStride == 0) return {};
    return std::string("rows of ") + name + " have " + std::to_string(bytes) +
           " bytes, TMA takes multiples of 16";
  };
  const std::string operands = row("A and B", problem.k, problem.input);
  return operands.empty() ? row("D", problem.n, problem.output) : operands;
}

std::string why_no_shape(const GemmProblem& problem, const GemmTile& tile) {
  const int rows = kGroupRows * (tile.roles == WarpRoles::kPingPong ? 1 : kConsumers);
  const isa::GroupFormats formats = *formats_of(problem);
  if (tile.m % rows != 0 || tile.m > isa::TensorMap::kMostBox)
    return "m is a multiple of " + std::to_string(rows) + " up to 256, not " +
           std::to_string(tile.m);
  const int columns = kRowBytes / element_bytes(problem.output);
  if (tile.n % columns != 0 || !isa::group_mma_opcode(formats, tile.n, false))
    return "n is a multiple of " + std::to_string(columns) + " up to 256, not " +
           std::to_string(tile.n);
  if (tile.k * element_bytes(problem.input) != kRowBytes)
    return "k is " + std::to_string(kRowBytes / element_bytes(problem.input)) +
           ", the 128 bytes of a swizzled row, not " + std::to_string(tile.k);
  if (tile.stages < 2) return "at least two stages";
  if (tile.cluster_m > 1 && tile.cluster_n > 1)
    return "clusters share A or B: Nx1 or 1xN CTAs, not " + std::to_string(tile.cluster_m) + "x" +
           std::to_string(tile.cluster_n);
  const int shared = tile.cluster_n > 1 ? tile.m : tile.n;
  if (shared % (8 * tile.cluster_m * tile.cluster_n) != 0)
    return "the CTAs of a cluster read equal parts of " + std::to_string(shared) +
           " rows, multiples of 8 each";
  if (tile.split_k > 1 || tile.sliced_k > 1 || tile.stream_k || !tile.swizzle)
    return "kernels of warpgroups are not cut along k, and have their swizzle";
  return {};
}

}  // namespace

std::string warp_specialised_problem(const GemmProblem& problem, const GemmTile& tile) {
  if (!formats_of(problem)) return why_no_formats(problem);
  return why_no_shape(problem, tile);
}

std::optional<Recipe> find_warp_specialised(const GemmProblem& problem, const Target& target,
                                            std::string& reason) {
  Recipe recipe;
  recipe.math = MathKind::kGroup;
  recipe.mover = Mover::kBox;
  const auto families =
      families_for(target.libraries, {KernelUse::kProduct, recipe.math, recipe.mover, problem.input,
                                      problem.output, problem.batch, target.shared_bytes_per_sm});
  reason = why_no_formats(problem);
  if (reason.empty() && families.empty()) reason = why_no_family(target);
  if (!reason.empty()) return std::nullopt;
  recipe.family = families.front();
  return recipe;
}

std::string why_not_warp_specialised(const GemmProblem& problem, const GemmTile& tile,
                                     const Target& target) {
  if (!target.features.warpgroups)
    return "kernels of warpgroups need wgmma, TMA and mbarriers, which " + target.architecture +
           " does not have";
  for (const std::string& reason : {why_no_formats(problem), why_no_rows(problem)})
    if (!reason.empty()) return reason;
  if (const std::string reason = why_no_shape(problem, tile); !reason.empty()) return reason;
  if (tile.cluster_m * tile.cluster_n > std::max(1, target.largest_cluster))
    return "has clusters of " + std::to_string(tile.cluster_m * tile.cluster_n) +
           " CTAs, this machine's have up to " + std::to_string(target.largest_cluster);
  const Shape shape = warpgroup_plan(problem, tile, target);
  const int last = kFirstSums + shape.blocks() * shape.sums_of_block();
  if (last > kRegisters)
    return "its sums take " + std::to_string(last) + " of " + std::to_string(kRegisters) +
           " registers";
  if (shape.shared_bytes() > target.shared_bytes_per_cta)
    return "needs " + std::to_string(shape.shared_bytes()) + " bytes of shared memory, a CTA has " +
           std::to_string(target.shared_bytes_per_cta);
  return {};
}

isa::KernelLaunch make_warp_specialised(const GemmProblem& problem, const GemmTile& tile,
                                        const Target& target,
                                        const std::vector<isa::Buffer>& buffers) {
  const Shape shape = warpgroup_plan(problem, tile, target);
  isa::KernelLaunch launch;
  launch.grid = {shape.grid * shape.cluster(), 1, 1};
  launch.cluster = {shape.cluster(), 1, 1};
  launch.warps_per_cta = kWarps;
  launch.registers_per_thread = kRegisters;
  launch.shared_bytes_per_cta = shape.shared_bytes();
  launch.buffers = buffers;
  launch.tensor_maps = tensor_maps(shape);
  launch.programs = {producer_program(shape), idle_program(shape), Consumer(shape).make()};
  launch.program_of_warp = {0, 1, 1, 1};
  launch.program_of_warp.resize(kWarps, 2);
  return launch;
}

}  // namespace tcsim::kernels
