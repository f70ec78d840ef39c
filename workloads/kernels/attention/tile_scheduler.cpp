#include "workloads/kernels/attention/tile_scheduler.hpp"

#include "workloads/kernels/attention/tile_numbers.hpp"
#include "workloads/kernels/attention/warpgroup_forward.hpp"

namespace tcsim::kernels {
namespace {

using isa::BarrierOperand;
using isa::Expression;
using isa::Opcode;
using Plan = WarpgroupForwardPlan;

Expression full() { return {Plan::barrier(Plan::kNumberFull)}; }
Expression empty() { return {Plan::barrier(Plan::kNumberEmpty)}; }

isa::MemoryAccess place() { return {.shared = {{Plan::kNextTile}, {}}}; }

}  // namespace

void TileScheduler::begin_loop() {
  if (tells_first()) {
    if (is_loading_)
      tell();
    else
      hear({0});
  }
  builder_.begin_loop();
}

void TileScheduler::ask(isa::Register pointer) {
  if (!plan_.takes_tiles() || !is_loading_) return;
  ask_for_number(builder_, number_, pointer, plan_.counter());
}

void TileScheduler::end_loop() {
  const Expression trips = trips_in_turns(plan_.tiles, plan_.grid);
  if (!plan_.takes_tiles()) return builder_.end_loop(trips);
  if (is_loading_) {
    builder_.append(with_immediate(arithmetic(Opcode::kShfl, number_, number_), 0));
    builder_.append(Opcode::kSyncsTryWait, BarrierOperand{empty(), tile_parity(!tells_first())});
    tell();
  } else {
    hear(tile_parity(tells_first()));
  }
  builder_.end_taking_loop(trips, plan_.tiles, number_);
}

void TileScheduler::tell() {
  builder_.append(look_up_);
  const int one = builder_.guard({{{{0, {{isa::Variable::kLane, 1}}}, 1}}});
  builder_.append(
      store(Opcode::kSts32, number_, isa::kZeroRegister, builder_.access(place()), one));
  builder_.append(Opcode::kSyncsArrive, BarrierOperand{full(), {}});
}

void TileScheduler::hear(const Expression& parity) {
  builder_.append(Opcode::kSyncsTryWait, BarrierOperand{full(), parity});
  builder_.append(load(Opcode::kLds32, number_, isa::kZeroRegister, builder_.access(place())));
  builder_.append(Opcode::kSyncsArrive, BarrierOperand{empty(), {}});
}

}  // namespace tcsim::kernels
