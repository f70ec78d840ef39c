#include "workloads/kernels/attention/warpgroup_backward.hpp"

#include <utility>

#include "workloads/kernels/attention/head_rows.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/warpgroup_launch.hpp"

namespace tcsim::kernels {
namespace {

using isa::BarrierOperand;
using isa::Expression;
using isa::kBarrierBytes;
using isa::kGroupWarps;
using isa::Opcode;
using isa::TileOperand;
using GradientPlan = WarpgroupBackwardPlan;

std::vector<isa::TensorMap> tensor_maps(const GradientPlan& plan) {
  const AttentionProblem& p = plan.problem;
  const auto of_queries = [&](const char* name, int buffer) {
    return head_map(name, buffer, {p.batch, p.queries, p.heads, p.dim, GradientPlan::kElementBytes},
                    plan.rows(), warpgroups::kSwizzle);
  };
  const auto of_keys = [&](const char* name, int buffer) {
    return head_map(name, buffer, {p.batch, p.keys, p.kv_heads, p.dim, GradientPlan::kElementBytes},
                    GradientPlan::kKeyRows, warpgroups::kSwizzle);
  };
  std::vector<isa::TensorMap> maps{
      of_queries("Q", GradientPlan::kQuery), of_queries("dO", GradientPlan::kOutputGradient),
      of_keys("K", GradientPlan::kKey), of_keys("V", GradientPlan::kValue)};
  if (plan.sums_key_gradients()) return maps;
  maps.push_back(of_keys("dK", GradientPlan::kKeyGradient));
  maps.push_back(of_keys("dV", GradientPlan::kValueGradient));
  return maps;
}

/// The start of a warp of the producer's warpgroup.
void begin(const GradientPlan& plan, ProgramBuilder& builder) {
  emit_gradient_setup(plan, builder);
  warpgroups::take_registers(GradientPlan::kRegisters.producer, builder);
  builder.set_uniforms(plan.uniforms());
}

/// The loader: K and V once; Q and dO, each with a statistic, for every step; Q one step ahead.
class Loader {
 public:
  explicit Loader(const GradientPlan& plan) : plan_(plan), builder_("loader") {}

  isa::WarpProgram make() {
    begin(plan_, builder_);
    load_queries({0});
    load_keys();
    if (plan_.problem.causal || plan_.query_blocks() > 1) {
      if (plan_.problem.causal)
        builder_.begin_skippable_loop();
      else
        builder_.begin_loop();
      load_gradients({0, {{GradientPlan::kStepLoop, 1}}});
      load_queries({1, {{GradientPlan::kStepLoop, 1}}});
      Expression others = plan_.steps();
      others.constant -= 1;
      builder_.end_loop(others);
    }
    Expression last = plan_.steps();
    last.constant -= 1;
    load_gradients(last);
    return builder_.finish();
  }

 private:
  void load_queries(const Expression& step) {
    load_block(step, GradientPlan::kQuery, GradientPlan::kLogSum, GradientPlan::kQueryFull,
               GradientPlan::kQueryEmpty, plan_.queries(), plan_.log_sums());
  }
  void load_gradients(const Expression& step) {
    load_block(step, GradientPlan::kOutputGradient, GradientPlan::kDelta,
               GradientPlan::kGradientFull, GradientPlan::kGradientEmpty, plan_.output_gradients(),
               plan_.deltas());
  }

  void load_block(const Expression& step, int map, int statistic, int full, int empty, int to,
                  int statistics) {
    const StageRing ring = step_ring(step);
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{ring.stage(GradientPlan::barrier(empty), kBarrierBytes),
                                   ring.parity(/*opposite=*/true)});
    const Expression arrived = ring.stage(GradientPlan::barrier(full), kBarrierBytes);
    const int statistic_bytes = plan_.rows() * GradientPlan::kSingleBytes;
    builder_.expect_bytes(arrived, plan_.query_bytes() + statistic_bytes);
    Expression row;
    add_scaled(row, plan_.query_block(step), plan_.rows());
    for (int panel = 0; panel < plan_.panels(); ++panel)
      load(map, plan_.panel_of(panel, row, /*shared_heads=*/1),
           ring.stage(to + panel * plan_.query_panel_bytes(), plan_.query_bytes()), arrived);
    Expression first{0, plan_.head(plan_.padded_queries() * GradientPlan::kSingleBytes, 1)};
    add_scaled(first, plan_.query_block(step), statistic_bytes);
    builder_.append(Opcode::kUblkcpSG,
                    TileOperand{.shared = ring.stage(statistics, plan_.statistic_bytes()),
                                .barrier = arrived,
                                .row = isa::RowOperand{statistic, first, {statistic_bytes}}});
  }

  void load_keys() {
    const Expression arrived{GradientPlan::barrier(GradientPlan::kKeysFull)};
    builder_.expect_bytes(arrived, 2 * plan_.key_bytes());
    for (const auto& [map, to] : {std::pair<int, int>(GradientPlan::kKey, GradientPlan::keys()),
                                  std::pair<int, int>(GradientPlan::kValue, plan_.values())})
      for (int panel = 0; panel < plan_.panels(); ++panel)
        load(map, plan_.key_panel(panel, plan_.group()),
             {to + panel * GradientPlan::key_panel_bytes()}, arrived);
  }

  void load(int map, std::vector<Expression> coordinates, const Expression& shared,
            const Expression& barrier) {
    builder_.append(Opcode::kUtmaldg4d, TileOperand{.map = map,
                                                    .coordinates = std::move(coordinates),
                                                    .shared = shared,
                                                    .barrier = barrier});
  }

  const GradientPlan& plan_;
  ProgramBuilder builder_;
};

/// Adds the consumers' contribution of each block to the sums of dQ, step by step (store_dq).
isa::WarpProgram adder(const GradientPlan& plan) {
  ProgramBuilder builder("adder");
  begin(plan, builder);
  builder.begin_loop();
  const Expression step{0, {{GradientPlan::kStepLoop, 1}}};
  const StageRing ring = step_ring(step);
  const SumTile& tile = plan.query_tile;
  for (int consumer = 0; consumer < GradientPlan::kConsumers; ++consumer) {
    builder.append(Opcode::kSyncsTryWait,
                   BarrierOperand{{GradientPlan::barrier(GradientPlan::kSumsStored + consumer)},
                                  ring.phase_parity(/*opposite=*/false)});
    const std::int64_t first = std::int64_t{consumer} * tile.group_bytes();
    Expression sums{first, plan.head(plan.query_blocks() * tile.bytes(), 1)};
    add_scaled(sums, plan.query_block(step), tile.bytes());
    builder.append(
        Opcode::kUblkredGSAdd,
        TileOperand{.shared = {plan.query_sums() + first},
                    .row = isa::RowOperand{GradientPlan::kQuerySums, sums, {tile.group_bytes()}}});
    builder.append(control(Opcode::kUtmacmdflush));
  }
  for (int consumer = 0; consumer < GradientPlan::kConsumers; ++consumer) {
    builder.append(control(Opcode::kDepbar, GradientPlan::kConsumers - 1 - consumer));
    builder.append(
        Opcode::kSyncsArrive,
        BarrierOperand{{GradientPlan::barrier(GradientPlan::kSumsTaken + consumer)}, {}});
  }
  builder.end_loop(plan.steps());
  return builder.finish();
}

isa::WarpProgram idle(const GradientPlan& plan) {
  ProgramBuilder builder("idle");
  begin(plan, builder);
  return builder.finish();
}

}  // namespace

void emit_gradient_setup(const GradientPlan& plan, ProgramBuilder& builder) {
  warpgroups::BarrierSetup barriers(builder);
  const auto init = [&](int number, int arrivals) {
    barriers.init(GradientPlan::barrier(number), arrivals);
  };
  init(GradientPlan::kKeysFull, 1);
  for (int stage = 0; stage < GradientPlan::kStages; ++stage) {
    init(GradientPlan::kQueryFull + stage, 1);
    init(GradientPlan::kQueryEmpty + stage, GradientPlan::kConsumers);
    init(GradientPlan::kGradientFull + stage, 1);
    init(GradientPlan::kGradientEmpty + stage, GradientPlan::kConsumers);
  }
  init(GradientPlan::kScoresStored, GradientPlan::kConsumers * kGroupWarps);
  init(GradientPlan::kAllMeet, GradientPlan::kConsumers * kGroupWarps);
  for (int consumer = 0; consumer < GradientPlan::kConsumers; ++consumer) {
    init(GradientPlan::kSumsStored + consumer, kGroupWarps);
    init(GradientPlan::kSumsTaken + consumer, 1);
    if (plan.sums_key_gradients()) init(GradientPlan::kGroupMeets + consumer, kGroupWarps);
  }
  builder.append(control(Opcode::kBarSync));
}

Expression consumer_barrier(int first) {
  Expression address{GradientPlan::barrier(first)};
  warpgroups::add_consumer(address, kBarrierBytes);
  return address;
}

isa::KernelLaunch make_warpgroup_backward(const GradientPlan& plan) {
  return warpgroups::with_roles(
      {.grid = plan.grid(),
       .registers_per_thread = GradientPlan::kRegisters.launch,
       .shared_bytes_per_cta = plan.shared_bytes(),
       .tensor_maps = tensor_maps(plan)},
      GradientPlan::kConsumers,
      {Loader(plan).make(), adder(plan), idle(plan), gradient_consumer(plan)});
}

}  // namespace tcsim::kernels
