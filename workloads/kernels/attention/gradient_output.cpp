#include "workloads/kernels/attention/gradient_output.hpp"

#include <utility>

#include "workloads/kernels/warpgroup_launch.hpp"

namespace tcsim::kernels {
namespace {

using isa::Expression;
using isa::kGroupWarps;
using isa::Opcode;
using isa::Variable;
using warpgroups::add_consumer;
using warpgroups::meet;
using GradientPlan = WarpgroupBackwardPlan;

class KeyGradients {
 public:
  KeyGradients(const GradientPlan& plan, ProgramBuilder& builder)
      : plan_(plan), r_(plan.registers), builder_(builder) {}

  /// One warp stores everything of the CTA.
  void store() {
    for (const auto& [gradient, to] :
         {std::pair<int, int>(r_.value_gradient, plan_.values()),
          std::pair<int, int>(r_.key_gradient, GradientPlan::keys())}) {
      builder_.append(
          pack_pairs(plan_.problem.element, gradient, gradient, plan_.key_tile.registers()));
      Expression place{to};
      add_consumer(place, plan_.key_tile.group_stride());
      builder_.append(stage_packed(builder_, gradient, plan_.dim, place,
                                   GradientPlan::key_panel_bytes(), /*transposed=*/false));
    }
    builder_.append(control(Opcode::kFenceViewAsync));
    meet(builder_, {GradientPlan::barrier(GradientPlan::kAllMeet)}, {1});
    const int one = builder_.guard({{{{0, {{Variable::kWarp, 1}}}, kGroupWarps + 1}}});
    for (const auto& [map, from] :
         {std::pair<int, int>(GradientPlan::kValueGradient, plan_.values()),
          std::pair<int, int>(GradientPlan::kKeyGradient, GradientPlan::keys())})
      for (int panel = 0; panel < plan_.panels(); ++panel)
        builder_.append(
            Opcode::kUtmastg4d,
            isa::TileOperand{.map = map,
                             .coordinates = plan_.key_panel(panel, /*shared_heads=*/1),
                             .shared = {from + panel * GradientPlan::key_panel_bytes()}},
            one);
    close();
  }

  /// dV, then dK, through the same part of shared memory.
  void add() {
    const SumTile& tile = plan_.key_tile;
    Expression place{GradientPlan::keys()};
    add_consumer(place, tile.group_bytes());
    Expression sums{0, plan_.head(plan_.key_blocks() * tile.bytes(), plan_.group())};
    sums.terms.push_back(plan_.key_block(tile.bytes()));
    add_consumer(sums, tile.group_bytes());
    int meetings = 0;
    const auto meet_group = [&] {
      meet(builder_, consumer_barrier(GradientPlan::kGroupMeets), {meetings++ % 2});
    };
    for (const auto& [gradient, buffer] :
         {std::pair<int, int>(r_.value_gradient, GradientPlan::kValueGradient),
          std::pair<int, int>(r_.key_gradient, GradientPlan::kKeyGradient)}) {
      if (meetings > 0) meet_group();  // the previous sums have left
      builder_.append(stage_sums(builder_, tile, gradient, place));
      meet_group();
      builder_.append(Opcode::kUblkredGSAdd,
                      isa::TileOperand{.shared = place,
                                       .row = isa::RowOperand{buffer, sums, {tile.group_bytes()}}},
                      warpgroups::first_warp(builder_));
      close();
    }
  }

 private:
  void close() {
    builder_.append(control(Opcode::kUtmacmdflush));
    builder_.append(control(Opcode::kDepbar, 0));
  }

  const GradientPlan& plan_;
  const WarpgroupBackwardRegisters& r_;
  ProgramBuilder& builder_;
};

}  // namespace

void emit_key_gradients(const GradientPlan& plan, ProgramBuilder& builder) {
  KeyGradients gradients(plan, builder);
  if (plan.sums_key_gradients())
    gradients.add();
  else
    gradients.store();
}

}  // namespace tcsim::kernels
