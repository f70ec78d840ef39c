#include "workloads/kernels/attention/warpgroup_forward.hpp"

#include <array>
#include <utility>

#include "workloads/kernels/attention/fused_copies.hpp"
#include "workloads/kernels/attention/head_rows.hpp"
#include "workloads/kernels/attention/tile_scheduler.hpp"
#include "workloads/kernels/attention/warpgroup_transpose.hpp"
#include "workloads/kernels/warpgroup_launch.hpp"

namespace tcsim::kernels {
namespace {

using isa::BarrierOperand;
using isa::Expression;
using isa::kBarrierBytes;
using isa::kGroupWarps;
using isa::Opcode;
using Plan = WarpgroupForwardPlan;

isa::TensorMap row_map(const AttentionProblem& problem, int buffer, int bytes, int rows,
                       isa::TileSwizzle swizzle) {
  constexpr std::array kNames{"Q", "K", "V", "O"};
  const bool is_of_keys = buffer == kKeyMap || buffer == kValueMap;
  const HeadRows tensor{problem.batch, is_of_keys ? problem.keys : problem.queries,
                        is_of_keys ? problem.kv_heads : problem.heads, problem.dim, bytes};
  return head_map(kNames.at(static_cast<std::size_t>(buffer)), buffer, tensor, rows, swizzle);
}

std::vector<isa::TensorMap> tensor_maps(const Plan& plan) {
  if (plan.keys_by_threads()) return {};
  const AttentionProblem& p = plan.problem;
  return {row_map(p, kQueryMap, plan.bytes(), plan.tile.rows, plan.swizzle()),
          row_map(p, kKeyMap, plan.bytes(), plan.tile.keys, plan.swizzle()),
          row_map(p, kValueMap, plan.bytes(), plan.tile.keys, plan.swizzle()),
          row_map(p, kOutputMap, Plan::kResultBytes, isa::kGroupRows, warpgroups::kSwizzle)};
}

/// Fills Q, K and V, tile after tile. One thread copies by TMA; if V is transposed, all warps of
/// the warpgroup do that in addition. Pages and packed heads are copied by all threads of the
/// warpgroup with LDGSTS, whose arrivals are signalled when their copies have landed.
class Producer {
 public:
  enum class Role : std::uint8_t {
    kLoads,   ///< the first warp
    kCopies,  ///< the others, if all copy
    kHelps,   ///< the others, if they have rows of Q or V to transpose
  };

  Producer(const Plan& plan, Role role)
      : plan_(plan),
        loads_(role != Role::kHelps),
        builder_(role == Role::kLoads       ? "producer"
                 : role == Role::kCopies    ? "copier"
                 : plan.transposes_values() ? "transposer"
                                            : "rows"),
        work_(plan.common.registers.addresses, plan.common.registers.address_count()),
        copies_(plan.common, builder_, work_),
        scheduler_(plan, builder_, reg(plan.common.registers.number), role == Role::kLoads,
                   plan.keys_by_threads() ? copies_.next_tile(plan.grid) : Instructions{}) {}

  isa::WarpProgram make() {
    emit_attention_setup(plan_, builder_);
    warpgroups::take_registers(plan_.register_budget().producer, builder_);
    builder_.set_uniforms(plan_.uniforms());
    scheduler_.begin_loop();
    if (plan_.keys_by_threads())
      builder_.append(sequence_lengths(plan_.common, builder_, work_, plan_.common.registers.page));
    if (plan_.transposes_values()) load_block(kValueMap, {0});
    load_block(kKeyMap, {0});
    if (loads_ || plan_.rows_by_threads()) load_query();
    if (loads_ || plan_.transposes_values()) bring_blocks();
    scheduler_.end_loop();
    return builder_.finish();
  }

 private:
  /// The keys after the first block, and all values.
  void bring_blocks() {
    // O of the previous tile is in the place of V.
    if (plan_.stages_output())
      builder_.append(Opcode::kSyncsTryWait,
                      BarrierOperand{{Plan::barrier(Plan::kOutputStored)}, tile_parity(true)});
    if (plan_.problem.causal || plan_.blocks_of(0) > 1) steps();
    scheduler_.ask(work_.pointer(0));
    bring_values({-1, {{Plan::kBlocks, 1}}});
  }

  void steps() {
    if (plan_.common.shortest_count() > 1)
      builder_.begin_loop();
    else
      builder_.begin_skippable_loop();
    const Expression next{1, {{Plan::kStepLoop, 1}}};
    if (plan_.transposes_values()) load_block(kValueMap, next);
    load_block(kKeyMap, next);
    bring_values({0, {{Plan::kStepLoop, 1}}});
    builder_.end_loop(Expression{-1, {{Plan::kBlocks, 1}}});
  }

  /// Brings V of step `step` to where the consumers read it.
  void bring_values(const Expression& step) {
    if (plan_.transposes_values())
      transpose_values(plan_, step, builder_);
    else
      load_block(kValueMap, step);
  }

  /// Loads the keys or values of step `step`; values that are transposed come before its keys.
  void load_block(AttentionMap map, const Expression& step) {
    if (!loads_) return;
    const StageRing ring = key_ring(step);
    const bool is_keys = map == kKeyMap;
    const bool is_transposed = !is_keys && plan_.transposes_values();
    const int full = Plan::barrier(is_keys         ? Plan::kKeyFull
                                   : is_transposed ? Plan::kLoadedFull
                                                   : Plan::kValueFull);
    const int empty = Plan::barrier(is_keys         ? Plan::kKeyEmpty
                                    : is_transposed ? Plan::kLoadedEmpty
                                                    : Plan::kValueEmpty);
    const Expression arrived = ring.stage(full, kBarrierBytes);
    wait_for(ring.stage(empty, kBarrierBytes), ring.parity(true));
    if (plan_.keys_by_threads()) {
      builder_.append(
          copies_.keys(is_keys ? kKey : kValue,
                       {.number = plan_.block(step),
                        .stage = ring.stage(0, plan_.block_bytes()),
                        .may_end = plan_.may_pass_end() && (!is_keys || step == Expression{0}),
                        .has_pages = is_keys == plan_.transposes_values()}));
      builder_.append(Opcode::kArrivesLdgstsbar, BarrierOperand{arrived, {}});
      return;
    }
    builder_.expect_bytes(arrived, plan_.block_bytes());
    const Expression key = plan_.first_key(step);
    const auto group = static_cast<std::uint32_t>(plan_.common.kv_group);
    const Expression head{
        0, {{Plan::kHead, 1, group, static_cast<std::uint32_t>(plan_.problem.kv_heads)}}};
    const int base = is_keys ? plan_.keys() : plan_.loaded_values();
    for (int panel = 0; panel < plan_.panels(); ++panel)
      load_panel(
          map, panel, key, head,
          ring.stage(base + panel * plan_.tile.keys * plan_.panel_row_bytes(), plan_.block_bytes()),
          arrived);
  }

  void load_query() {
    const Expression full{Plan::barrier(Plan::kQueryFull)};
    wait_for({Plan::barrier(Plan::kQueryEmpty)}, tile_parity(true));
    if (plan_.rows_by_threads()) {
      builder_.append(copies_.query());
      builder_.append(Opcode::kArrivesLdgstsbar, BarrierOperand{full, {}});
      return;
    }
    builder_.expect_bytes(full, plan_.query_bytes());
    const Expression row{0, {{Plan::kRowBlock, plan_.tile.rows}}};
    const Expression head{0,
                          {{Plan::kHead, 1, 1, static_cast<std::uint32_t>(plan_.problem.heads)}}};
    for (int panel = 0; panel < plan_.panels(); ++panel)
      load_panel(kQueryMap, panel, row, head,
                 {Plan::query() + panel * plan_.tile.rows * plan_.panel_row_bytes()}, full);
  }

  void wait_for(const Expression& empty, const Expression& parity) {
    builder_.append(Opcode::kSyncsTryWait, BarrierOperand{empty, parity});
  }

  void load_panel(AttentionMap map, int panel, const Expression& row, const Expression& head,
                  const Expression& shared, const Expression& barrier) {
    const Expression batch{0, {{Plan::kHead, 1, static_cast<std::uint32_t>(plan_.common.heads)}}};
    builder_.append(
        Opcode::kUtmaldg4d,
        isa::TileOperand{
            .map = map,
            .coordinates = {{std::int64_t{panel} * plan_.panel_columns()}, row, head, batch},
            .shared = shared,
            .barrier = barrier});
  }

  const Plan& plan_;
  bool loads_;
  ProgramBuilder builder_;
  AddressWork work_;
  FusedCopies copies_;
  TileScheduler scheduler_;
};

isa::WarpProgram idle_program(const Plan& plan) {
  ProgramBuilder builder("idle");
  emit_attention_setup(plan, builder);
  warpgroups::take_registers(plan.register_budget().producer, builder);
  return builder.finish();
}

}  // namespace

StageRing key_ring(const Expression& step) {
  // Blocks of the previous tiles, and the steps of this one.
  Expression position{step.constant, {{Plan::kBlocksEnd, 1}, {Plan::kBlocks, -1}}};
  position.terms.insert(position.terms.end(), step.terms.begin(), step.terms.end());
  return {std::move(position), Plan::kKeyStages};
}

Expression tile_parity(bool opposite) {
  return {0, {{Plan::kTileLoop, 1, 1, 2, opposite ? 1U : 0U}}};
}

void emit_attention_setup(const Plan& plan, ProgramBuilder& builder) {
  warpgroups::BarrierSetup barriers(builder);
  const auto init = [&](int number, int arrivals) {
    barriers.init(Plan::barrier(number), arrivals);
  };
  const int key_warps = plan.keys_by_threads() ? kGroupWarps : 1;
  const int row_warps = plan.rows_by_threads() ? kGroupWarps : 1;
  for (int stage = 0; stage < Plan::kKeyStages; ++stage) {
    init(Plan::kKeyFull + stage, key_warps);
    init(Plan::kKeyEmpty + stage, plan.consumers());
    init(Plan::kValueFull + stage, plan.transposes_values() ? kGroupWarps : key_warps);
    init(Plan::kValueEmpty + stage, plan.consumers());
    if (!plan.transposes_values()) continue;
    init(Plan::kLoadedFull + stage, key_warps);
    init(Plan::kLoadedEmpty + stage, kGroupWarps);
  }
  init(Plan::kNumberFull, 1);
  init(Plan::kNumberEmpty,
       kGroupWarps * plan.consumers() + (plan.has_helpers() ? kGroupWarps - 1 : 0));
  init(Plan::kQueryFull, row_warps);
  init(Plan::kQueryEmpty, plan.consumers());
  init(Plan::kOutputStored, plan.consumers() * row_warps);
  init(Plan::kValuesRead, plan.consumers() * kGroupWarps);
  for (int consumer = 0; consumer < plan.consumers(); ++consumer) {
    init(Plan::kMeeting + consumer, kGroupWarps);
    init(Plan::kTurn + consumer, 1);
    if (plan.tile.probabilities_in_shared) init(Plan::kProbabilitiesStored + consumer, kGroupWarps);
  }
  builder.append(control(Opcode::kBarSync));
}

isa::KernelLaunch make_warpgroup_forward(const Plan& plan) {
  using Role = Producer::Role;
  const Role beside = plan.keys_by_threads() ? Role::kCopies : Role::kHelps;
  return warpgroups::with_roles(
      {.grid = {plan.grid, 1, 1},
       .registers_per_thread = plan.register_budget().launch,
       .shared_bytes_per_cta = plan.shared_bytes(),
       .tensor_maps = tensor_maps(plan)},
      plan.consumers(),
      {Producer(plan, Role::kLoads).make(),
       plan.has_helpers() ? Producer(plan, beside).make() : idle_program(plan),
       attention_consumer(plan)});
}

}  // namespace tcsim::kernels
