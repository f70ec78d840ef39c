// The consumers of FlashAttention-3's forward kernel: products, softmax and the end of a tile.

#include <array>
#include <cmath>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/warpgroup_forward.hpp"
#include "workloads/kernels/attention/warpgroup_softmax.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/main_loop_parts.hpp"

namespace tcsim::kernels {
namespace {

using isa::BarrierOperand;
using isa::Expression;
using isa::kBarrierBytes;
using isa::kGroupRowBytes;
using isa::kGroupWarps;
using isa::Opcode;
using isa::Variable;
using warpgroups::add_consumer;
using warpgroups::kRowBytes;
using Plan = WarpgroupForwardPlan;

// What compiled code spends beside the instructions that the algorithm names. Counters of a run
// (hopper.md 10, b1 h24 s2048 d64 causal: 14.48 M warp instructions, of which MUFU 1.927 M and
// HGMMA 0.349 M as here, 27.3 % of the ALU's cycles and 16.9 % of the FMA pipe's) leave 98 for a
// block of keys and a warp: about 25 each of ALU and FMA, the rest uniform. Four words of
// descriptors for each of 12 products are 48. Other tiles: the same numbers (assumption).
constexpr int kDescriptorOps = 4;
constexpr int kBlockOps = 50;

constexpr double kLeastSum = 1e-30;  // as in fused_epilogue.cpp

class Consumer {
 public:
  explicit Consumer(const Plan& plan)
      : plan_(plan),
        r_(plan.registers),
        builder_("consumer"),
        work_(r_.addresses, AddressWork::kFewestRegisters, /*has_uniform_datapath=*/true) {}

  isa::WarpProgram make() {
    emit_attention_setup(plan_, builder_);
    builder_.append(control(Opcode::kUsetmaxreg, plan_.register_budget().consumer));
    builder_.set_uniforms(plan_.uniforms());
    if (!plan_.problem.has_head_scales)
      builder_.append(
          with_immediate(arithmetic(Opcode::kMov, reg(r_.scale)), plan_.softmax_scale()));
    builder_.begin_loop();
    if (plan_.problem.has_head_scales) load_scales();
    builder_.append(clear_registers(r_.output, r_.output + plan_.output_registers()));
    first_block();
    steps();
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{{Plan::barrier(Plan::kQueryEmpty)}, {}},
                    first_warp());
    const Expression last{-1, {{Plan::kBlocks, 1}}};
    wait_for(Plan::kValueFull, last);
    output_products(last);
    if (plan_.problem.has_head_scales) load_scale(kValueScale, r_.negative);
    builder_.append(control(Opcode::kWarpgroupDepbar, 0));
    give_back(Plan::kValueEmpty, last);
    finish_tile();
    builder_.end_loop(plan_.tile_count());
    builder_.append(control(Opcode::kDepbar, 0));
    return builder_.finish();
  }

 private:
  int first_warp() { return warpgroups::first_warp(builder_); }

  /// The FP32 scale of the head of K and V in `buffer`.
  void load_scale(AttentionBuffer buffer, int to) {
    constexpr int kSingleBytes = 4;
    const auto group = static_cast<std::uint32_t>(plan_.problem.heads / plan_.problem.kv_heads);
    isa::MemoryAccess access{.buffer = buffer};
    access.global.offset.terms = {{Plan::kHead, kSingleBytes, group}};
    builder_.append(
        load(Opcode::kLdg32, reg(to), isa::kZeroRegister, builder_.access(std::move(access))));
  }

  /// Those of Q and K into the scale of the scores.
  void load_scales() {
    const isa::Register scale = reg(r_.scale);
    load_scale(kQueryScale, r_.shuffled);
    load_scale(kKeyScale, r_.shuffled + 1);
    builder_.append(arithmetic(Opcode::kFmul, scale, reg(r_.shuffled), reg(r_.shuffled + 1)));
    builder_.append(with_immediate(arithmetic(Opcode::kFmul, scale, scale), plan_.softmax_scale()));
    builder_.append(
        with_immediate(arithmetic(Opcode::kFmul, reg(r_.negative_scale), scale), fp32_literal(-1)));
  }

  void first_block() {
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{{Plan::barrier(Plan::kQueryFull)}, tile_parity(false)});
    wait_for(Plan::kKeyFull, {0});
    score_products({0});
    builder_.append(control(Opcode::kWarpgroupDepbar, 0));
    give_back(Plan::kKeyEmpty, {0});
    if (plan_.problem.causal || plan_.has_ragged_keys()) mask({0});
    builder_.append(work_.vector_ops(kBlockOps / 2));
    soften(/*first=*/true, plan_.problem.causal);
    take_probabilities();
  }

  /// The other blocks: those that are masked, then the rest.
  void steps() {
    Expression others{-1, {{Plan::kBlocks, 1}}};
    Expression step{1, {{Plan::kStepLoop, 1}}};
    if (plan_.problem.causal) {
      builder_.begin_skippable_loop();
      one_step(step, /*is_masked=*/true);
      builder_.end_loop(Expression{0, {{Plan::kMasked, 1}}});
      others.terms.push_back({Plan::kMasked, -1});
      step.terms.push_back({Plan::kMasked, 1});
      builder_.begin_skippable_loop();
    } else {
      if (plan_.blocks_of(0) == 1) return;
      if (plan_.common.shortest_count() > 1)
        builder_.begin_loop();
      else
        builder_.begin_skippable_loop();
    }
    one_step(step, /*is_masked=*/false);
    builder_.end_loop(others);
  }

  /// Scores of block `step` and the output of the block before it, in one go; the softmax of the
  /// former runs beside the latter.
  void one_step(const Expression& step, bool is_masked) {
    Expression before = step;
    before.constant -= 1;
    builder_.append(work_.vector_ops(kBlockOps / 2));
    wait_for(Plan::kKeyFull, step);
    if (plan_.takes_turns()) wait_for_turn(before);
    score_products(step);
    wait_for(Plan::kValueFull, before);
    output_products(before);
    if (plan_.takes_turns()) hand_over_turn();
    builder_.append(control(Opcode::kWarpgroupDepbar, 1));
    give_back(Plan::kKeyEmpty, step);
    if (is_masked) mask(step);
    soften(/*first=*/false, is_masked);
    builder_.append(control(Opcode::kWarpgroupDepbar, 0));
    give_back(Plan::kValueEmpty, before);
    take_probabilities();
    builder_.append(rescale_output(plan_));
  }

  void soften(bool first, bool may_be_masked) {
    builder_.append(place_in_gaps(warpgroup_softmax(plan_, first, may_be_masked),
                                  std::array{Stream{work_.vector_ops(kBlockOps - kBlockOps / 2)}}));
  }

  /// The mbarrier `first` + (the stage of step `step`). What threads have copied is for products to
  /// read behind a fence.
  void wait_for(int first, const Expression& step) {
    const KeyRing ring(step);
    builder_.append(
        Opcode::kSyncsTryWait,
        BarrierOperand{ring.stage(Plan::barrier(first), kBarrierBytes), ring.parity(false)});
    if (plan_.copies_by_threads()) builder_.append(control(Opcode::kFenceViewAsync));
  }
  void give_back(int first, const Expression& step) {
    builder_.append(Opcode::kSyncsArrive,
                    BarrierOperand{KeyRing(step).stage(Plan::barrier(first), kBarrierBytes), {}},
                    first_warp());
  }

  /// Each consumer waits for the one before it; the first one begins. Turns so far: those of the
  /// tiles before, one fewer than their blocks each, and `before` of this one.
  void wait_for_turn(const Expression& before) {
    Expression address{Plan::barrier(Plan::kTurn)};
    add_consumer(address, kBarrierBytes);
    std::vector<isa::Term> turns{{Plan::kBlocksEnd, 1},
                                 {Plan::kBlocks, -1},
                                 {Plan::kTileLoop, -1},
                                 // 1 for the first consumer, whose phases are over one turn
                                 // earlier, 2 for the others.
                                 {Variable::kWarp, 1, 2 * kGroupWarps, 0, kGroupWarps * 2}};
    turns.insert(turns.end(), before.terms.begin(), before.terms.end());
    builder_.append(
        Opcode::kSyncsTryWait,
        BarrierOperand{address, {0, {}, {warpgroups::divided(1, before.constant, turns, 1, 2)}}});
  }
  void hand_over_turn() {
    Expression address{Plan::barrier(Plan::kTurn)};
    address.terms.push_back({Variable::kWarp, kBarrierBytes, kGroupWarps,
                             static_cast<std::uint32_t>(plan_.consumers())});
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{address, {}}, first_warp());
  }

  /// S = Q K^T of block `step`, one group.
  void score_products(const Expression& step) {
    const KeyRing ring(step);
    builder_.append(control(Opcode::kWarpgroupArrive));
    const int count = plan_.dim / plan_.product_depth();
    const int row_bytes = plan_.panel_row_bytes();
    for (int k = 0; k < count; ++k) {
      const int panel = k * kGroupRowBytes / row_bytes;
      const int in_row = k * kGroupRowBytes % row_bytes;
      isa::MatrixDescriptor q = descriptor(
          {Plan::query() + panel * plan_.tile.rows * row_bytes + in_row}, plan_.swizzle());
      add_consumer(q.start, std::int64_t{isa::kGroupRows} * row_bytes);
      const isa::MatrixDescriptor keys =
          descriptor(ring.stage(plan_.keys() + panel * plan_.tile.keys * row_bytes + in_row,
                                plan_.block_bytes()),
                     plan_.swizzle());
      isa::Instruction product{.opcode = plan_.score_product, .dst = reg(r_.scores)};
      product.src[2] = reg(r_.scores);
      product.immediate =
          (k == 0 ? isa::kClearsSums : 0) | (k + 1 == count ? isa::kClosesGroup : 0);
      product.access = builder_.async(isa::MatrixOperands{q, keys});
      builder_.append(work_.uniform_ops(kDescriptorOps));
      builder_.append(product);
    }
  }

  /// O += P V of block `step`, one group.
  void output_products(const Expression& step) {
    const KeyRing ring(step);
    if (plan_.tile.probabilities_in_shared)
      builder_.append(Opcode::kSyncsTryWait,
                      BarrierOperand{probabilities_stored(), ring.block_parity()});
    builder_.append(control(Opcode::kWarpgroupArrive));
    const int count = plan_.tile.keys / plan_.product_depth();
    for (int k = 0; k < count; ++k) {
      const isa::MatrixDescriptor values =
          plan_.transposes_values() ? transposed_values(ring, k) : values_as_loaded(ring, k);
      isa::Instruction product{.opcode = plan_.output_product, .dst = reg(r_.output)};
      product.src[2] = reg(r_.output);
      product.immediate = k + 1 == count ? isa::kClosesGroup : 0;
      isa::MatrixOperands operands{.b = values};
      if (plan_.tile.probabilities_in_shared)
        operands.a = probabilities(k);
      else
        product.src[0] = reg(r_.probabilities + 4 * k);
      product.access = builder_.async(operands);
      builder_.append(work_.uniform_ops(kDescriptorOps));
      builder_.append(product);
    }
  }

  static isa::MatrixDescriptor descriptor(const Expression& start, isa::TileSwizzle swizzle) {
    return {.start = start, .stride_bytes = isa::pattern_bytes(swizzle), .swizzle = swizzle};
  }

  /// V of the keys of product `k`: a row of keys for each column of O.
  [[nodiscard]] isa::MatrixDescriptor transposed_values(const KeyRing& ring, int k) const {
    const int row_bytes = isa::row_bytes(plan_.transposed_swizzle());
    const int panel = k * kGroupRowBytes / row_bytes;
    const int in_row = k * kGroupRowBytes % row_bytes;
    return descriptor(
        ring.stage(plan_.values() + panel * plan_.dim * row_bytes + in_row, plan_.block_bytes()),
        plan_.transposed_swizzle());
  }
  /// The same as a row for each key.
  [[nodiscard]] isa::MatrixDescriptor values_as_loaded(const KeyRing& ring, int k) const {
    isa::MatrixDescriptor values = descriptor(
        ring.stage(plan_.values() + k * plan_.product_depth() * kRowBytes, plan_.block_bytes()),
        plan_.swizzle());
    values.leading_bytes = plan_.tile.keys * kRowBytes;
    values.transposed = true;
    return values;
  }

  [[nodiscard]] isa::MatrixDescriptor probabilities(int k) const {
    const int panel = k * kGroupRowBytes / kRowBytes;
    const int in_row = k * kGroupRowBytes % kRowBytes;
    isa::MatrixDescriptor p = descriptor(
        {plan_.probabilities() + panel * Plan::kGroupPanelBytes + in_row}, warpgroups::kSwizzle);
    add_consumer(p.start, plan_.probability_bytes());
    return p;
  }

  void take_probabilities() {
    builder_.append(pack_probabilities(plan_));
    if (!plan_.tile.probabilities_in_shared) return;
    Expression place{plan_.probabilities()};
    add_consumer(place, plan_.probability_bytes());
    for (int i = 0; i < plan_.score_registers(); i += 2) stage(place, i, r_.scores + i);
    builder_.append(control(Opcode::kFenceViewAsync));
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{probabilities_stored(), {}});
  }

  static Expression probabilities_stored() {
    Expression address{Plan::barrier(Plan::kProbabilitiesStored)};
    add_consumer(address, kBarrierBytes);
    return address;
  }

  /// Register `from` with accumulators i and i + 1, as 16-bit elements of 64 rows at `place`.
  void stage(const Expression& place, int i, int from) {
    constexpr int kEightsOfPanel = Plan::kPanelColumns / 8;
    constexpr int kPairBytes = 2 * Plan::kResultBytes;
    const int eight = i / 4;
    isa::MemoryAccess access;
    Expression& offset = access.shared.offset;
    offset = place;
    offset.constant += eight / kEightsOfPanel * Plan::kGroupPanelBytes +
                       eight % kEightsOfPanel * 4 * kPairBytes + i / 2 % 2 * 8 * kRowBytes;
    offset.terms.push_back({Variable::kWarp, std::int64_t{16} * kRowBytes, 1, kGroupWarps});
    offset.terms.push_back({Variable::kLane, kRowBytes, 4});
    offset.terms.push_back({Variable::kLane, kPairBytes, 1, 4});
    access.shared.swizzle = isa::swizzle_of(warpgroups::kSwizzle);
    builder_.append(
        kernels::store(Opcode::kSts32, reg(from), isa::kZeroRegister, builder_.access(access)));
  }

  /// Row lane / 4 + 8 * half of the warp, among those of its head.
  [[nodiscard]] Expression row_of_thread(int half) const {
    Expression row{std::int64_t{8} * half, {{Plan::kRowBlock, plan_.tile.rows}}};
    add_consumer(row, isa::kGroupRows);
    row.terms.push_back({Variable::kWarp, 16, 1, kGroupWarps});
    row.terms.push_back({Variable::kLane, 1, 4});
    return row;
  }

  /// Scores of keys beyond the last one, or behind the diagonal, become minus infinity.
  void mask(const Expression& step) {
    for (int i = 0; i < plan_.score_registers(); ++i) {
      builder_.append(arithmetic(Opcode::kIsetp, isa::kZeroRegister));
      Expression slack{plan_.problem.keys - 1};
      std::int64_t rows_of_key = 1;
      if (plan_.problem.causal) {  // all rows of a query see the same keys
        rows_of_key = plan_.common.group_rows;
        slack = row_of_thread(i / 2 % 2);
        slack.constant += rows_of_key * (plan_.problem.keys - plan_.problem.queries);
      }
      Expression key = plan_.first_key(step);
      key.constant += i / 4 * 8 + i % 2;
      key.terms.push_back({Variable::kLane, 2, 1, 4});
      add_scaled(slack, key, -rows_of_key);
      isa::Instruction hide =
          with_immediate(arithmetic(Opcode::kMov, reg(r_.scores + i)), kMinusInfinity);
      hide.guard = builder_.guard({{{slack, 0}}});
      builder_.append(hide);
    }
  }

  void finish_tile() {
    builder_.append(reduce_quads(plan_, Opcode::kFadd, r_.sum));
    if (plan_.problem.causal && plan_.is_partial()) bound_sums();
    for (int row = 0; row < Plan::kThreadRows; ++row)
      builder_.append(arithmetic(Opcode::kMufuRcp, reg(r_.factor + row), reg(r_.sum + row)));
    for (int row = 0; plan_.problem.has_head_scales && row < Plan::kThreadRows; ++row)
      builder_.append(
          arithmetic(Opcode::kFmul, reg(r_.factor + row), reg(r_.factor + row), reg(r_.negative)));
    store_logarithms();
    builder_.append(rescale_output(plan_));
    if (plan_.stages_output())
      store_through_shared();
    else
      store_part();
  }

  /// A row that sees no key of its split has the sum 0 and shall have zeros, not 0 / 0.
  void bound_sums() {
    for (int row = 0; row < Plan::kThreadRows; ++row)
      builder_.append(
          with_immediate(arithmetic(Opcode::kFmnmx, reg(r_.sum + row), reg(r_.sum + row)),
                         fp32_literal(kLeastSum)));
  }

  void store_through_shared() {
    for (int i = 0; i < plan_.output_registers(); i += 2) {
      const auto [left, right] = plan_.output_pair(i);
      builder_.append(packed(plan_, r_.output + i, r_.output + left, r_.output + right));
    }
    // All consumers have read V, in whose place O comes.
    meet({Plan::barrier(Plan::kValuesRead)});
    Expression place{plan_.values()};
    add_consumer(place, std::int64_t{plan_.output_panels()} * Plan::kGroupPanelBytes);
    for (int i = 0; i < plan_.output_registers(); i += 2) stage(place, i, r_.output + i);
    builder_.append(control(Opcode::kFenceViewAsync));
    Expression own{Plan::barrier(Plan::kMeeting)};
    add_consumer(own, kBarrierBytes);
    meet(own);
    if (plan_.copies_by_threads()) {
      store_rows(place);
    } else {
      for (int panel = 0; panel < plan_.output_panels(); ++panel) store_panel(place, panel);
      builder_.append(control(Opcode::kUtmacmdflush));
      builder_.append(control(Opcode::kDepbar, 0));
    }
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{{Plan::barrier(Plan::kOutputStored)}, {}},
                    plan_.copies_by_threads() ? isa::kNoIndex : first_warp());
  }

  /// LSE = maximum / sqrt(dim) + ln(sum), the logarithm with base 2 times ln(2), into `log`.
  void logarithm_of_sum(isa::Register log, isa::Register maximum, isa::Register sum) {
    const auto multiply = [&](isa::Register to, isa::Register from, double by) {
      builder_.append(with_immediate(arithmetic(Opcode::kFmul, to, from), fp32_literal(by)));
    };
    const int exponent = plan_.probability_exponent();
    if (exponent != 0) multiply(log, sum, std::ldexp(1.0, -exponent));
    builder_.append(arithmetic(Opcode::kMufuLg2, log, exponent != 0 ? log : sum));
    multiply(log, log, std::log(2.0));
    if (plan_.problem.has_head_scales) {
      builder_.append(arithmetic(Opcode::kFmul, maximum, maximum, reg(r_.scale)));
      multiply(maximum, maximum, std::log(2.0));
    } else {
      multiply(maximum, maximum, plan_.score_scale());
    }
    builder_.append(arithmetic(Opcode::kFadd, log, log, maximum));
  }

  /// By one lane of each row.
  void store_logarithms() {
    for (int row = 0; row < Plan::kThreadRows; ++row) {
      const isa::Register log = reg(r_.negative + row);
      logarithm_of_sum(log, reg(r_.maximum + row), reg(r_.sum + row));
      const Expression number = row_of_thread(row);
      isa::Guard guard = inside(number);
      guard.bounds.push_back({{0, {{Variable::kLane, 1, 1, 4}}}, 1});
      isa::MemoryAccess access{.buffer = kLogSumBuffer};
      constexpr int kSingleBytes = 4;
      add_scaled(access.global.offset,
                 plan_.is_partial() ? number : plan_.common.log_sum_offset(number), kSingleBytes);
      add_head(access.global.offset, kSingleBytes);
      builder_.append(kernels::store(Opcode::kStg32, log, isa::kZeroRegister,
                                     builder_.access(std::move(access)), builder_.guard(guard)));
    }
  }

  [[nodiscard]] isa::Guard inside(const Expression& row) const {
    if (plan_.common.rows % plan_.tile.rows == 0) return {};
    return {{{row, plan_.common.rows}}};
  }

  /// Adds where the rows of the tile's head and split begin, `bytes` for each row before.
  void add_head(Expression& offset, std::int64_t bytes) const {
    offset.terms.push_back({Plan::kHead, plan_.common.rows * bytes});
    if (plan_.is_partial())
      offset.terms.push_back(plan_.common.split_axis.term(plan_.problem.batch * plan_.common.heads *
                                                          plan_.common.rows * bytes));
  }

  /// FP32 rows of the split, pairs of neighbours as the accumulators have them (epilogue_fwd.hpp,
  /// PackGQA's store_O_direct).
  void store_part() {
    constexpr int kSingleBytes = 4;
    const std::int64_t row_bytes = plan_.problem.dim * kSingleBytes;
    for (int i = 0; i < plan_.output_registers(); i += 2) {
      const Expression row = row_of_thread(i / 2 % 2);
      const Expression column{i / 4 * 8, {{Variable::kLane, 2, 1, 4}}};
      isa::Guard guard = inside(row);
      if (i / 4 * 8 + 8 > plan_.problem.dim) guard.bounds.push_back({column, plan_.problem.dim});
      isa::MemoryAccess access{.buffer = kOutputMap};
      add_scaled(access.global.offset, row, row_bytes);
      add_head(access.global.offset, row_bytes);
      add_scaled(access.global.offset, column, kSingleBytes);
      builder_.append(kernels::store(Opcode::kStg64, reg(r_.output + i), work_.pointer(i / 2),
                                     builder_.access(std::move(access)), builder_.guard(guard)));
    }
  }

  /// The consumer's rows of O from shared memory, 16 bytes of a lane each, to where their heads and
  /// queries are.
  void store_rows(const Expression& place) {
    constexpr int kLanesOfRow = kRowBytes / 16;
    constexpr int kRowsAtOnce = isa::kLanes / kLanesOfRow * kGroupWarps;
    constexpr int kRounds = isa::kGroupRows / kRowsAtOnce;
    for (const bool loads : {true, false})
      for (int panel = 0; panel < plan_.output_panels(); ++panel)
        for (int round = 0; round < kRounds; ++round) {
          Expression row{std::int64_t{round} * kRowsAtOnce,
                         {{Variable::kWarp, isa::kLanes / kLanesOfRow, 1, kGroupWarps},
                          {Variable::kLane, 1, kLanesOfRow}}};
          const isa::Register vector =
              reg(r_.scores + (panel * kRounds + round) * kVectorRegisters);
          if (loads)
            load_vector(vector, place, panel, row);
          else
            store_vector(vector, panel, row);
        }
  }

  void load_vector(isa::Register to, const Expression& place, int panel, const Expression& row) {
    isa::MemoryAccess access;
    access.shared.offset = place;
    access.shared.offset.constant += std::int64_t{panel} * Plan::kGroupPanelBytes;
    add_scaled(access.shared.offset, row, kRowBytes);
    access.shared.offset.terms.push_back({Variable::kLane, 16, 1, kRowBytes / 16});
    access.shared.swizzle = isa::swizzle_of(warpgroups::kSwizzle);
    builder_.append(load(Opcode::kLds128, to, reg(work_.fragment_address_a()),
                         builder_.access(std::move(access))));
  }

  void store_vector(isa::Register from, int panel, Expression row) {
    row.terms.push_back({Plan::kRowBlock, plan_.tile.rows});
    add_consumer(row, isa::kGroupRows);
    constexpr int kVectorElements = 16 / Plan::kResultBytes;
    const Expression column{std::int64_t{panel} * Plan::kPanelColumns,
                            {{Variable::kLane, kVectorElements, 1, kRowBytes / 16}}};
    isa::Guard guard = inside(row);
    if ((panel + 1) * Plan::kPanelColumns > plan_.problem.dim)
      guard.bounds.push_back({column, plan_.problem.dim});
    isa::MemoryAccess access{.buffer = kOutputMap};
    isa::Expression& offset = access.global.offset;
    add_scaled(offset, plan_.common.result_origin(), Plan::kResultBytes);
    add_scaled(offset, plan_.common.row_offset(plan_.common.result, row), Plan::kResultBytes);
    add_scaled(offset, column, Plan::kResultBytes);
    builder_.append(work_.vector_ops(kOpsPerAccess));
    builder_.append(kernels::store(Opcode::kStg128, from, work_.pointer(0),
                                   builder_.access(std::move(access)), builder_.guard(guard)));
  }

  /// At an mbarrier with one phase for each tile.
  void meet(const Expression& address) {
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{address, {}});
    builder_.append(Opcode::kSyncsTryWait, BarrierOperand{address, tile_parity(false)});
  }

  void store_panel(const Expression& place, int panel) {
    Expression shared = place;
    shared.constant += std::int64_t{panel} * Plan::kGroupPanelBytes;
    Expression row{0, {{Plan::kRowBlock, plan_.tile.rows}}};
    add_consumer(row, isa::kGroupRows);
    const auto heads = static_cast<std::uint32_t>(plan_.problem.heads);
    builder_.append(Opcode::kUtmastg4d,
                    isa::TileOperand{.map = kOutputMap,
                                     .coordinates = {{std::int64_t{panel} * Plan::kPanelColumns},
                                                     row,
                                                     {0, {{Plan::kHead, 1, 1, heads}}},
                                                     {0, {{Plan::kHead, 1, heads}}}},
                                     .shared = shared},
                    first_warp());
  }

  const Plan& plan_;
  const WarpgroupRegisters& r_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::WarpProgram attention_consumer(const Plan& plan) { return Consumer(plan).make(); }

}  // namespace tcsim::kernels
