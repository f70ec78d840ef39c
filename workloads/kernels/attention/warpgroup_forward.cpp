#include "workloads/kernels/attention/warpgroup_forward.hpp"

#include <utility>

namespace tcsim::kernels {
namespace {

using isa::BarrierOperand;
using isa::Expression;
using isa::kBarrierBytes;
using isa::kGroupWarps;
using isa::Opcode;
using isa::Variable;
using warpgroups::kRowBytes;
using Plan = WarpgroupForwardPlan;

/// [batch][rows][heads][dim] as boxes of `rows` rows of a head, a panel wide.
isa::TensorMap row_map(const Plan& plan, const char* name, int buffer, std::int64_t length,
                       std::int64_t heads, int rows) {
  const std::int64_t head = plan.problem.dim * Plan::kBytes;
  isa::TensorMap map{.name = name, .buffer = buffer, .element_bytes = Plan::kBytes};
  map.extents = {plan.problem.dim, length, heads, plan.problem.batch};
  map.strides = {heads * head, head, length * heads * head};
  map.box = {Plan::kPanelColumns, rows, 1, 1};
  map.swizzle = warpgroups::kSwizzle;
  return map;
}

std::vector<isa::TensorMap> tensor_maps(const Plan& plan) {
  const AttentionProblem& p = plan.problem;
  return {row_map(plan, "Q", kQueryMap, p.queries, p.heads, plan.tile.rows),
          row_map(plan, "K", kKeyMap, p.keys, p.kv_heads, plan.tile.keys),
          row_map(plan, "V", kValueMap, p.keys, p.kv_heads, plan.tile.keys),
          row_map(plan, "O", kOutputMap, p.queries, p.heads, isa::kGroupRows)};
}

/// Fills Q, K and V tile after tile.
class Producer {
 public:
  explicit Producer(const Plan& plan) : plan_(plan), builder_("producer") {}

  isa::WarpProgram make() {
    emit_attention_setup(plan_, builder_);
    builder_.append(
        control(Opcode::kUsetmaxreg, warpgroups::register_budget(plan_.consumers()).producer));
    builder_.set_uniforms(plan_.uniforms());
    builder_.begin_loop();
    load_block(kKeyMap, {0});
    load_query();
    // O of the tile before lies in the place of V.
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{{Plan::barrier(Plan::kOutputStored)}, tile_parity(true)});
    if (plan_.problem.causal || plan_.key_blocks() > 1) load_steps();
    load_block(kValueMap, {-1, {{Plan::kBlocks, 1}}});
    builder_.end_loop(plan_.tile_count());
    return builder_.finish();
  }

 private:
  void load_steps() {
    if (plan_.blocks_of(0) > 1)
      builder_.begin_loop();
    else
      builder_.begin_skippable_loop();
    load_block(kKeyMap, {1, {{Plan::kStepLoop, 1}}});
    load_block(kValueMap, {0, {{Plan::kStepLoop, 1}}});
    builder_.end_loop(Expression{-1, {{Plan::kBlocks, 1}}});
  }

  /// The keys or values of step `step`.
  void load_block(AttentionMap map, const Expression& step) {
    const KeyRing ring(step);
    const bool is_keys = map == kKeyMap;
    const int full = Plan::barrier(is_keys ? Plan::kKeyFull : Plan::kValueFull);
    const int empty = Plan::barrier(is_keys ? Plan::kKeyEmpty : Plan::kValueEmpty);
    wait_and_expect(ring.stage(empty, kBarrierBytes), ring.parity(true),
                    ring.stage(full, kBarrierBytes), plan_.block_bytes());
    Expression key{plan_.tile.keys * (-1 - step.constant), {{Plan::kBlocks, plan_.tile.keys}}};
    for (isa::Term term : step.terms) {
      term.coefficient *= -plan_.tile.keys;
      key.terms.push_back(term);
    }
    const auto group = static_cast<std::uint32_t>(plan_.problem.heads / plan_.problem.kv_heads);
    const Expression head{
        0, {{Plan::kHead, 1, group, static_cast<std::uint32_t>(plan_.problem.kv_heads)}}};
    const int base = is_keys ? plan_.keys() : plan_.values();
    for (int panel = 0; panel < plan_.panels(); ++panel)
      load_panel(map, panel, key, head,
                 ring.stage(base + panel * plan_.tile.keys * kRowBytes, plan_.block_bytes()),
                 ring.stage(full, kBarrierBytes));
  }

  void load_query() {
    const Expression full{Plan::barrier(Plan::kQueryFull)};
    wait_and_expect({Plan::barrier(Plan::kQueryEmpty)}, tile_parity(true), full,
                    plan_.query_bytes());
    const Expression row{0, {{Plan::kRowBlock, plan_.tile.rows}}};
    const Expression head{0,
                          {{Plan::kHead, 1, 1, static_cast<std::uint32_t>(plan_.problem.heads)}}};
    for (int panel = 0; panel < plan_.panels(); ++panel)
      load_panel(kQueryMap, panel, row, head, {Plan::query() + panel * plan_.tile.rows * kRowBytes},
                 full);
  }

  void wait_and_expect(const Expression& empty, const Expression& parity, const Expression& full,
                       int bytes) {
    builder_.append(Opcode::kSyncsTryWait, BarrierOperand{empty, parity});
    builder_.append(Opcode::kSyncsArriveBytes, BarrierOperand{full, {bytes}});
  }

  void load_panel(AttentionMap map, int panel, const Expression& row, const Expression& head,
                  const Expression& shared, const Expression& barrier) {
    const Expression batch{0, {{Plan::kHead, 1, static_cast<std::uint32_t>(plan_.problem.heads)}}};
    builder_.append(
        Opcode::kUtmaldg4d,
        isa::TileOperand{
            .map = map,
            .coordinates = {{std::int64_t{panel} * Plan::kPanelColumns}, row, head, batch},
            .shared = shared,
            .barrier = barrier});
  }

  const Plan& plan_;
  ProgramBuilder builder_;
};

isa::WarpProgram idle_program(const Plan& plan) {
  ProgramBuilder builder("idle");
  emit_attention_setup(plan, builder);
  builder.append(
      control(Opcode::kUsetmaxreg, warpgroups::register_budget(plan.consumers()).producer));
  return builder.finish();
}

}  // namespace

isa::Quotient KeyRing::quotient(std::int64_t weight, std::int64_t divisor,
                                std::int64_t modulus) const {
  // Blocks of the tiles before, and the steps of this one.
  std::vector<isa::Term> terms{{Plan::kBlocksEnd, 1}, {Plan::kBlocks, -1}};
  terms.insert(terms.end(), steps_.terms.begin(), steps_.terms.end());
  return warpgroups::divided(weight, steps_.constant, std::move(terms), divisor, modulus);
}

Expression tile_parity(bool opposite) {
  return {0, {{Plan::kTileLoop, 1, 1, 2, opposite ? 1U : 0U}}};
}

void emit_attention_setup(const Plan& plan, ProgramBuilder& builder) {
  const int one = builder.guard({{{{0, {{Variable::kWarp, 1}}}, 1}}});
  const auto init = [&](int number, int arrivals) {
    builder.append(Opcode::kSyncsExch, BarrierOperand{{Plan::barrier(number)}, {arrivals}}, one);
  };
  for (int i = 0; i < 4; ++i)  // CTA number in x, y, z; thread number
    builder.append(arithmetic(Opcode::kS2r, reg(i)));
  for (int stage = 0; stage < Plan::kKeyStages; ++stage) {
    init(Plan::kKeyFull + stage, 1);
    init(Plan::kKeyEmpty + stage, plan.consumers());
    init(Plan::kValueFull + stage, 1);
    init(Plan::kValueEmpty + stage, plan.consumers());
  }
  init(Plan::kQueryFull, 1);
  init(Plan::kQueryEmpty, plan.consumers());
  init(Plan::kOutputStored, plan.consumers());
  init(Plan::kValuesRead, plan.consumers() * kGroupWarps);
  for (int consumer = 0; consumer < plan.consumers(); ++consumer) {
    init(Plan::kMeeting + consumer, kGroupWarps);
    init(Plan::kTurn + consumer, 1);
    if (plan.tile.probabilities_in_shared) init(Plan::kProbabilitiesStored + consumer, kGroupWarps);
  }
  builder.append(control(Opcode::kBarSync));
}

isa::KernelLaunch make_warpgroup_forward(const Plan& plan) {
  isa::KernelLaunch launch;
  launch.grid = {plan.grid, 1, 1};
  launch.warps_per_cta = kGroupWarps * (1 + plan.consumers());
  launch.registers_per_thread = warpgroups::register_budget(plan.consumers()).launch;
  launch.shared_bytes_per_cta = plan.shared_bytes();
  launch.tensor_maps = tensor_maps(plan);
  launch.programs = {Producer(plan).make(), idle_program(plan), attention_consumer(plan)};
  launch.program_of_warp = {0, 1, 1, 1};
  launch.program_of_warp.resize(static_cast<std::size_t>(launch.warps_per_cta), 2);
  return launch;
}

}  // namespace tcsim::kernels
