#include "workloads/kernels/warpgroup_consumer.hpp"

#include <utility>

#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/group_schedule.hpp"
#include "workloads/kernels/partial_sums.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/kernels/warpgroup_epilogue.hpp"
#include "workloads/kernels/warpgroup_launch.hpp"
#include "workloads/kernels/warpgroup_producer.hpp"

namespace tcsim::kernels::warpgroups {
namespace {

using isa::BarrierOperand;
using isa::Expression;
using isa::kBarrierBytes;
using isa::kGroupRows;
using isa::kGroupWarps;
using isa::Opcode;
using isa::Term;
using isa::Variable;
using Shape = WarpgroupPlan;

class Consumer {
 public:
  explicit Consumer(const Shape& shape)
      : shape_(shape),
        walk_(Walk::of_consumer(shape)),
        builder_("consumer"),
        epilogue_(shape, walk_, builder_) {}

  isa::WarpProgram make() {
    emit_setup(shape_, builder_);
    take_registers(register_budget(shape_.consumers()).consumer, builder_);
    builder_.begin_loop(/*is_skippable=*/shape_.is_ping_pong() || shape_.stream_k);
    if (shape_.problem.is_grouped())
      take_groups();
    else if (shape_.problem.block_scales)
      builder_.set_uniforms(walk_.uniforms());
    if (shape_.stream_k) builder_.set_uniforms(shape_.stream_k->uniforms());
    if (shape_.problem.block_scales) copy_column_factors();
    begin_epilogue();
    if (shape_.is_ping_pong()) wait_for_turn();
    if (shape_.problem.block_scales)
      emit_scaled_sums();
    else if (shape_.problem.sparse)
      emit_sparse_sums();
    else if (shape_.a_in_registers())
      emit_sums_of_registers();
    else
      emit_sums();
    if (shape_.stream_k)
      share_sums();
    else
      epilogue_.store();
    builder_.end_loop(walk_.trips());
    builder_.append(control(Opcode::kDepbar, 0));
    return builder_.finish();
  }

 private:
  /// If rows are contiguous, a consumer needs the group only for data indexed by columns.
  void take_groups() {
    const GroupSchedule groups(shape_, walk_);
    builder_.set_uniforms(groups.uniforms());
    const GemmProblem& problem = shape_.problem;
    if (problem.groups.is_masked() || problem.block_scales || problem.epilogue.scale ||
        problem.epilogue.bias)
      groups.emit(builder_);
  }

  /// With stream-K: only for tiles that the CTA finishes.
  void begin_epilogue() {
    if (!shape_.stream_k) return epilogue_.begin();
    if (!shape_.problem.epilogue.changes_values()) return;
    builder_.begin_skippable_loop();
    epilogue_.begin();
    builder_.end_loop(shape_.stream_k->finishes());
  }

  /// The sums go to the CTA that finishes the tile, or the sums of the others are added and D is
  /// stored.
  void share_sums() {
    const PartialSums sums = partial_sums();
    emit_join(sums, builder_);
    emit_hand_over(sums, builder_);
    builder_.begin_skippable_loop();
    epilogue_.store();
    builder_.end_loop(shape_.stream_k->finishes());
  }

  [[nodiscard]] PartialSums partial_sums() const {
    // Counted by tile of the cluster, CTA and consumer.
    Expression group;
    add_consumer(group, 1);
    group.terms.push_back({StreamK::kTile, std::int64_t{shape_.cluster()} * shape_.consumers()});
    if (shape_.cluster() > 1)
      group.terms.push_back(
          {Variable::kCtaX, shape_.consumers(), 1, static_cast<std::uint32_t>(shape_.cluster())});
    return {.stream_k = *shape_.stream_k,
            .element = shape_.problem.accumulate,
            .registers = shape_.sums(),
            .first = kFirstSums,
            .spare = WarpgroupEpilogue::first_spare(shape_),
            .spare_end = register_budget(shape_.consumers()).consumer,
            .warps = kGroupWarps,
            .group = group,
            .flags = shape_.flag_buffer(),
            .workspace = shape_.flag_buffer() + 1,
            .pointer = [](int /*number*/) { return isa::kZeroRegister; },
            .meet = [this](ProgramBuilder& builder,
                           bool is_behind_wait) { meet(builder, is_behind_wait); }};
  }

  /// The warps of a consumer meet at an mbarrier by arriving and waiting there.
  void meet(ProgramBuilder& builder, bool is_behind_wait) const {
    Expression barrier{shape_.hand_over(0, is_behind_wait)};
    add_consumer(barrier, shape_.hand_over(1, is_behind_wait) - barrier.constant);
    warpgroups::meet(builder, barrier, {0});
  }

  void wait_for_k_tile(int ahead) {
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{walk_.stage(shape_.full(0), kBarrierBytes, ahead),
                                   walk_.parity(ahead, /*opposite=*/false)});
  }

  /// Products of k-tile `ahead` + kStepLoop, whose sums begin with register `first`. If `clears` is
  /// true, the first products clear the sums.
  void multiply(int ahead, bool clears, int first) {
    builder_.append(control(Opcode::kWarpgroupArrive));
    for (int step = 0; step < shape_.steps(); ++step)
      multiply_step(ahead, step, clears, first, /*closes=*/step + 1 == shape_.steps());
  }
  void multiply_step(int ahead, int step, bool clears, int first, bool closes) {
    const int pieces = shape_.blocks() * shape_.parts();
    for (int piece = 0; piece < pieces; ++piece) {
      const int block = piece / shape_.parts();
      const isa::Register sums = reg(first + piece * shape_.sums_of_part());
      isa::Instruction product{.opcode = shape_.product, .dst = sums};
      product.src[2] = sums;
      if (shape_.problem.sparse) product.src[3] = metadata_of(block, step);
      product.immediate = (closes && piece + 1 == pieces ? isa::kClosesGroup : 0) |
                          (clears && step == 0 ? isa::kClearsSums : 0) |
                          selector_of(step) << isa::kSelectorShift;
      isa::MatrixOperands operands{.b = operand_b(ahead, step, piece % shape_.parts())};
      if (shape_.a_in_registers())
        product.src[0] = fragment(block, step);
      else
        operands.a = operand_a(ahead, step, block);
      product.access = builder_.async(std::move(operands));
      builder_.append(product);
    }
  }

  [[nodiscard]] isa::MatrixDescriptor operand_a(int ahead, int step, int block) const {
    isa::MatrixDescriptor a =
        descriptor(ahead, block * kGroupRows * kRowBytes, step, shape_.a_is_turned());
    if (shape_.divides_rows())
      add_consumer(a.start, std::int64_t{shape_.consumer_rows()} * kRowBytes);
    return a;
  }
  [[nodiscard]] isa::MatrixDescriptor operand_b(int ahead, int step, int part) const {
    int offset = shape_.a_bytes() + part * shape_.width() * kRowBytes;
    if (shape_.problem.sparse) {  // 64 bytes of a row, in the box of the step
      const int steps = shape_.steps() / shape_.boxes_of_b();
      offset += step / steps * shape_.tile.n * kRowBytes;
      step = step % steps * shape_.boxes_of_b();
    }
    isa::MatrixDescriptor b = descriptor(ahead, offset, step, shape_.b_is_turned());
    if (shape_.divides_columns())
      add_consumer(b.start, std::int64_t{shape_.consumer_columns()} * kRowBytes);
    return b;
  }

  /// An operand at `offset` of the stage. Along k, a step is 32 bytes of a row. Across k, it is as
  /// many rows as 32 bytes have elements, in groups of kRowBytes of each row.
  [[nodiscard]] isa::MatrixDescriptor descriptor(int ahead, int offset, int step,
                                                 bool is_turned) const {
    const int step_k = isa::kGroupRowBytes / shape_.bytes();
    offset += step * (is_turned ? step_k * kRowBytes : isa::kGroupRowBytes);
    isa::MatrixDescriptor result{
        .start = walk_.stage(shape_.first_stage() + offset, shape_.stage_bytes(), ahead),
        .stride_bytes = kPatternBytes,
        .swizzle = kSwizzle};
    if (!is_turned) return result;
    result.leading_bytes = shape_.tile.k * kRowBytes;
    result.transposed = true;
    return result;
  }

  /// Releases the stage of k-tile `ahead` + kStepLoop.
  void give_back(int ahead) { give_back(walk_.stage(shape_.empty(0), kBarrierBytes, ahead)); }
  void give_back(const Expression& empty) {
    const int guard = shape_.warps_read_stages() ? isa::kNoIndex : first_warp(builder_);
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{empty, {}}, guard);
    const auto tell = [&](int other_m, int other_n) {
      builder_.append(Opcode::kSyncsArriveRemote,
                      BarrierOperand{empty, shape_.rank_of(other_m, other_n)}, guard);
    };
    for (int other = 1; other < shape_.tile.cluster_m; ++other) tell(other, 0);
    for (int other = 1; other < shape_.tile.cluster_n; ++other) tell(0, other);
  }

  /// One group of products, or none, stays open during the wait for the next k-tile.
  void emit_sums() {
    wait_for_k_tile(0);
    multiply(0, /*clears=*/true, kFirstSums);
    if (shape_.k_tiles > 1) {
      const auto finish_k_tile = [&](int open) {
        builder_.append(control(Opcode::kWarpgroupDepbar, open));
        give_back(0);
      };
      builder_.begin_loop(/*is_skippable=*/shape_.stream_k.has_value());
      if (shape_.tile.waits_each_k_tile) finish_k_tile(0);
      wait_for_k_tile(1);
      multiply(1, /*clears=*/false, kFirstSums);
      if (!shape_.tile.waits_each_k_tile) finish_k_tile(1);
      builder_.end_loop(walk_.k_tiles(/*without=*/1));
    }
    finish_sums();
  }

  /// A of step `step` of a block.
  [[nodiscard]] isa::Register fragment(int block, int step) const {
    return reg(shape_.first_fragment() +
               (block * shape_.steps() + step) * isa::opcode_info(shape_.product).src_registers[0]);
  }
  /// Fragment of k-tile `ahead` + kStepLoop. Boxes hold 32 rows, k by k. A lane takes rows lane / 4
  /// and lane / 4 + 8 of its warp's 16, at k = lane mod 4 and 4 more of a step's eight.
  void load_fragments(int ahead, int step) {
    constexpr int kWords = 4;
    const int box_bytes = shape_.tile.k * kRowBytes;
    const int boxes_of_rows = shape_.consumer_rows() * shape_.bytes() / kRowBytes;
    for (int block = 0; block < shape_.blocks(); ++block)
      for (int word = 0; word < kWords; ++word) {
        const int boxes = block * isa::kGroupRows * shape_.bytes() / kRowBytes;
        const int row = word % 2 * 8;
        const int k = step * isa::kGroupRowBytes / shape_.bytes() + word / 2 * 4;
        isa::MemoryAccess access;
        Expression& offset = access.shared.offset;
        offset = walk_.stage(
            shape_.first_stage() + boxes * box_bytes + k * kRowBytes + row * shape_.bytes(),
            shape_.stage_bytes(), ahead);
        offset.terms.push_back({Variable::kWarp, box_bytes, 2, kGroupWarps / 2});
        offset.terms.push_back(
            {Variable::kWarp, std::int64_t{kGroupRows / kGroupWarps} * shape_.bytes(), 1, 2});
        offset.terms.push_back({Variable::kLane, shape_.bytes(), 4});
        offset.terms.push_back({Variable::kLane, kRowBytes, 1, 4});
        if (shape_.divides_rows()) add_consumer(offset, std::int64_t{boxes_of_rows} * box_bytes);
        access.shared.swizzle = isa::swizzle_of(kSwizzle);
        builder_.append(kernels::load(Opcode::kLds32,
                                      reg(static_cast<int>(fragment(block, step)) + word),
                                      isa::kZeroRegister, builder_.access(access)));
      }
  }

  /// Each step is its own group of products. When it has finished, the same step of the next k-tile
  /// fills its registers.
  void emit_sums_of_registers() {
    const auto step_of = [&](int ahead, int step, bool clears) {
      load_fragments(ahead, step);
      builder_.append(control(Opcode::kWarpgroupArrive));
      multiply_step(ahead, step, clears, kFirstSums, /*closes=*/true);
    };
    wait_for_k_tile(0);
    for (int step = 0; step < shape_.steps(); ++step) step_of(0, step, /*clears=*/true);
    if (shape_.k_tiles > 1) {
      builder_.begin_loop(/*is_skippable=*/shape_.stream_k.has_value());
      wait_for_k_tile(1);
      for (int step = 0; step < shape_.steps(); ++step) {
        builder_.append(control(Opcode::kWarpgroupDepbar, shape_.steps() - 1));
        step_of(1, step, /*clears=*/false);
      }
      give_back(0);
      builder_.end_loop(walk_.k_tiles(/*without=*/1));
    }
    finish_sums();
  }
  /// Waits until the sums of the tile are complete.
  void finish_sums() {
    if (shape_.is_ping_pong()) hand_over_turn();
    builder_.append(control(Opcode::kWarpgroupDepbar, 0));
    give_back(walk_.last_stage(shape_.empty(0), kBarrierBytes));
  }

  /// Metadata of step `step` of a block: a word holds the metadata of one or two steps.
  [[nodiscard]] int steps_of_word() const { return shape_.steps() / shape_.metadata_words(); }
  [[nodiscard]] isa::Register metadata_of(int block, int step) const {
    return reg(shape_.first_metadata() + block * shape_.metadata_words() + step / steps_of_word());
  }
  [[nodiscard]] int selector_of(int step) const {
    return shape_.problem.sparse ? step % steps_of_word() : 0;
  }
  void load_metadata() {
    const int word_bytes = shape_.tile.m * kMetadataRowBytes;
    constexpr int kWarpBytes = isa::kGroupRows / kGroupWarps * kMetadataRowBytes;
    for (int block = 0; block < shape_.blocks(); ++block)
      for (int word = 0; word < shape_.metadata_words(); ++word) {
        isa::MemoryAccess access;
        access.shared.offset = walk_.stage(
            shape_.first_scale() + word * word_bytes + block * kGroupRows * kMetadataRowBytes,
            shape_.scale_bytes(), 0);
        access.shared.offset.terms.push_back({Variable::kWarp, kWarpBytes, 1, kGroupWarps});
        access.shared.offset.terms.push_back({Variable::kLane, 4});
        if (shape_.divides_rows())
          add_consumer(access.shared.offset,
                       std::int64_t{shape_.consumer_rows()} * kMetadataRowBytes);
        builder_.append(kernels::load(
            Opcode::kLds32, reg(shape_.first_metadata() + block * shape_.metadata_words() + word),
            isa::kZeroRegister, builder_.access(access)));
      }
  }

  /// Products read their metadata until the wait for them has ended, so no group stays open.
  void emit_sparse_sums() {
    builder_.append(clear_registers(kFirstSums, shape_.first_metadata()));
    builder_.begin_loop();
    wait_for_k_tile(0);
    load_metadata();
    multiply(0, /*clears=*/false, kFirstSums);
    builder_.append(control(Opcode::kWarpgroupDepbar, 0));
    give_back(0);
    builder_.end_loop(shape_.k_tiles);
    if (shape_.is_ping_pong()) hand_over_turn();
  }

  /// Multiplies the sums of each k-tile by the factors of its blocks and adds them to the sums of
  /// the tile.
  void emit_scaled_sums() {
    builder_.append(clear_registers(kFirstSums, shape_.first_partial()));
    builder_.begin_loop();
    const int of_rows = shape_.first_factor();
    const int of_columns = of_rows + 2;
    load_column_factor(of_columns, 0);
    if (shape_.straddles_blocks()) load_column_factor(of_columns + 1, 1);
    wait_for_k_tile(0);
    for (int half = 0; half < 2; ++half) load_row_factor(of_rows + half, half);
    multiply(0, /*clears=*/true, shape_.first_partial());
    const int first = of_columns + 2;  // of the first block of columns, for two rows
    const int second = first + 2;
    const int used = second + 2;
    for (int half = 0; half < 2; ++half) {
      const auto factor = [&](int to, int block) {
        builder_.append(arithmetic(Opcode::kFmul, reg(to + half), reg(of_rows + half),
                                   reg(of_columns + block)));
      };
      factor(shape_.straddles_blocks() ? first : used, 0);
      if (shape_.straddles_blocks()) factor(second, 1);
    }
    builder_.append(control(Opcode::kWarpgroupDepbar, 0));
    give_back(0);
    for (int eight = 0; eight < shape_.width() / 8; ++eight) {
      if (shape_.straddles_blocks()) choose_factors(eight, first, second, used);
      for (int i = 0; i < 4; ++i) {
        const isa::Register sum = reg(kFirstSums + 4 * eight + i);
        builder_.append(arithmetic(Opcode::kFfma, sum, reg(shape_.first_partial() + 4 * eight + i),
                                   reg(used + i / 2), sum));
      }
    }
    builder_.end_loop(shape_.k_tiles);
    if (shape_.ring_places() == shape_.k_tiles) return;
    const int behind = static_cast<int>(shape_.k_tiles);
    builder_.begin_loop();
    wait_for_k_tile(behind);
    give_back(behind);
    builder_.end_loop(shape_.ring_places() - shape_.k_tiles);
  }

  /// Factors `used` of columns 8 * eight and the seven next: `first`, or `second` for the next
  /// block. The comparison is repeated for each of them, because predicates are few.
  void choose_factors(int eight, int first, int second, int used) {
    if (eight > 0) builder_.append(arithmetic(Opcode::kIsetp, isa::kZeroRegister));
    for (int half = 0; half < 2; ++half) {
      const int from = eight == 0 ? first : second;
      isa::Instruction move = arithmetic(Opcode::kMov, reg(used + half), reg(from + half));
      if (eight > 0) move.guard = in_second_block(8 * eight);
      builder_.append(move);
    }
  }

  /// Factor of row lane / 4 + 8 * half of the warp.
  void load_row_factor(int to, int half) {
    isa::MemoryAccess access;
    access.shared.offset =
        walk_.stage(shape_.first_scale() + 8 * half * kFactorBytes, shape_.scale_bytes(), 0);
    access.shared.offset.terms.push_back(
        {Variable::kWarp, std::int64_t{16} * kFactorBytes, 1, kGroupWarps});
    access.shared.offset.terms.push_back({Variable::kLane, kFactorBytes, 4});
    add_consumer(access.shared.offset, std::int64_t{kGroupRows} * kFactorBytes);
    builder_.append(
        kernels::load(Opcode::kLds32, reg(to), isa::kZeroRegister, builder_.access(access)));
  }

  [[nodiscard]] std::int64_t column_blocks() const {
    return ceil_div(shape_.problem.n, kScaledBlock);
  }

  /// Copies the factors of all k-tiles of the tile into shared memory. All warps but the first do
  /// it; the first may still wait for the store of the previous tile.
  void copy_column_factors() {
    const int lanes = isa::kLanes * (kGroupWarps * shape_.consumers() - 1);
    const int rounds = ceil_div(shape_.column_scales(), lanes);
    const int at_once = shape_.sums();
    Instructions stores;
    for (int round = 0; round < rounds; ++round) {
      copy_column_factors(std::int64_t{round} * lanes,
                          reg(shape_.first_partial() + round % at_once), stores);
      if (round + 1 < rounds && (round + 1) % at_once != 0) continue;
      builder_.append(stores);
      stores.clear();
    }
  }

  /// One factor per lane, from number `first` on.
  void copy_column_factors(std::int64_t first, isa::Register factor, Instructions& stores) {
    const Expression number{first - std::int64_t{isa::kLanes} * (kGroupWarps + 1),
                            {{Variable::kWarp, isa::kLanes}, {Variable::kLane, 1}}};
    const std::int64_t steps = shape_.k_tiles;
    Expression of_matrix = walk_.first_block(steps);
    add_scaled(of_matrix, number, 1);
    const int guard = builder_.guard({{{{0, {{Variable::kWarp, -1}}}, -kGroupWarps},
                                       {number, shape_.column_scales()},
                                       {of_matrix, column_blocks() * steps}}});
    isa::MemoryAccess from{.buffer = kScaleB};
    from.global.offset = walk_.matrix_b(column_blocks() * steps * kFactorBytes);
    add_scaled(from.global.offset, of_matrix, kFactorBytes);
    builder_.append(kernels::load(Opcode::kLdg32, factor, isa::kZeroRegister,
                                  builder_.access(std::move(from)), guard));
    isa::MemoryAccess to;
    to.shared.offset.constant = shape_.first_column_scale();
    add_scaled(to.shared.offset, number, kFactorBytes);
    stores.push_back(kernels::store(Opcode::kSts32, factor, isa::kZeroRegister,
                                    builder_.access(std::move(to)), guard));
  }

  /// Factor of the block of the tile's first column, or of the next block.
  void load_column_factor(int to, int block) {
    isa::MemoryAccess access;
    access.shared.offset = {shape_.first_column_scale() + block * shape_.k_tiles * kFactorBytes,
                            {{kStepLoop, kFactorBytes}}};
    isa::Guard guard;
    if (block > 0) guard.bounds.push_back({walk_.first_block(1), column_blocks() - block});
    builder_.append(kernels::load(Opcode::kLds32, reg(to), isa::kZeroRegister,
                                  builder_.access(access), builder_.guard(guard)));
  }

  /// True if column `column` of the tile lies in the second block, after the remaining columns of
  /// the first column's block.
  int in_second_block(int column) {
    return builder_.guard({{{walk_.columns_left_of_block(), column + 1}}});
  }

  /// Ping-pong: consumers take turns to multiply; the first consumer begins.
  void wait_for_turn() {
    Expression address{shape_.turn(0)};
    add_consumer(address, kBarrierBytes);
    // The phases of the first consumer end one iteration earlier.
    const std::vector<Term> phase{{kTileLoop, 1}, {Variable::kWarp, 1, kGroupWarps}};
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{address, {0, {}, {divided(1, 0, phase, 1, 2)}}});
  }
  void hand_over_turn() {
    Expression address{shape_.turn(0) + (shape_.consumers() - 1) * kBarrierBytes};
    add_consumer(address, -kBarrierBytes);
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{address, {}}, first_warp(builder_));
  }

  const Shape& shape_;
  const Walk walk_;
  ProgramBuilder builder_;
  WarpgroupEpilogue epilogue_;
};

}  // namespace

isa::WarpProgram consumer_program(const Shape& shape) { return Consumer(shape).make(); }

}  // namespace tcsim::kernels::warpgroups
