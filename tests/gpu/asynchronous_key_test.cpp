// Every key of Hopper's asynchronous hardware, clusters and the request coalescer changes what a
// user sees.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sim/gpu/occupancy.hpp"
#include "sim/library/load.hpp"
#include "tests/config/changed_machine.hpp"
#include "tests/gpu/key_programs.hpp"

namespace tcsim::gpu {
namespace {

using isa::Opcode;
using isa::Variable;

/// An A100 with Hopper's asynchronous hardware, of which its file says nothing.
const std::vector<std::string> asynchronous_machine{"sm.group_tensor.shared_operations=1",
                                                    "sm.group_tensor.register_operations=1",
                                                    "sm.group_tensor.register_least_cycles=40",
                                                    "sm.group_tensor.extra_cycles=1",
                                                    "sm.group_tensor.load_interval_cycles=3",
                                                    "sm.group_tensor.alu_slowdown_percent=50",
                                                    "sm.group_tensor.sfu_slowdown_percent=50",
                                                    "sm.group_tensor.result_cycles=200",
                                                    "sm.mbarrier.interval_cycles=2",
                                                    "sm.mbarrier.arrive_cycles=29",
                                                    "sm.mbarrier.wait_cycles=36",
                                                    "sm.mbarrier.wake_cycles=12",
                                                    "sm.mbarrier.fence_cycles=32",
                                                    "sm.tile_copy.bytes_in_flight=2048",
                                                    "sm.tile_copy.issue_cycles=32",
                                                    "sm.tile_copy.start_cycles=100",
                                                    "sm.tile_copy.request_cycles=20",
                                                    "sm.cluster.largest=2",
                                                    "sm.cluster.barrier_cycles=200",
                                                    "sm.cluster.barrier_cta_cycles=30",
                                                    "sm.cluster.hop_cycles=78",
                                                    "sm.cluster.port_sms=6",
                                                    "sm.cluster.port_lanes=4",
                                                    "sm.cluster.packet_bytes=32",
                                                    "sm.cluster.load_latency_cycles=37",
                                                    "sm.cluster.read_bytes=256",
                                                    "sm.cluster.write_bytes=256",
                                                    "sm.cluster.put_bytes=512",
                                                    "noc.tpc_read_bytes_per_cycle=40",
                                                    "noc.coalescer_entries=2",
                                                    "noc.coalescer_merges=2",
                                                    "noc.coalescer_window_cycles=1",
                                                    "noc.multicast_latency_cycles=50"};

/// Two boxes, waited for once they are under way and once they are there; all warps meet, those of
/// the other CTA of the cluster too, which exchange what is in their shared memory; a box for both;
/// products of both kinds, three each.
isa::KernelLaunch asynchronous_kernel() {
  isa::WarpProgram program;
  program.name = "asynchronous";
  program.guards = {{{{{0, {{Variable::kWarp, 1}}}, 1}}}};
  const auto operate = [&program](Opcode opcode, isa::AsyncOperands operands, bool by_one) {
    add(program, opcode, 255, {255, 255, 255}, static_cast<int>(program.async.size()));
    if (by_one) program.instructions.back().guard = 0;
    program.async.push_back(std::move(operands));
  };
  constexpr int kBoxBytes = 32 * 128;
  const auto barrier = [](int byte, int value) { return isa::BarrierOperand{{byte}, {value}}; };
  operate(Opcode::kSyncsExch, barrier(0, 1), true);
  operate(Opcode::kSyncsExch, barrier(8, 8), true);
  operate(Opcode::kSyncsExch, barrier(16, 1), true);
  operate(Opcode::kSyncsExch, barrier(24, 8), true);
  add(program, Opcode::kClusterArrive, 255, {255, 255, 255});
  add(program, Opcode::kClusterWait, 255, {255, 255, 255});
  operate(Opcode::kSyncsArriveRemote, isa::BarrierOperand{{24}, {1, {{Variable::kCtaX, -1, 1, 2}}}},
          false);
  operate(Opcode::kSyncsTryWait, barrier(24, 0), false);
  program.accesses = {
      {.shared = {{1024, {{Variable::kLane, 16}, {Variable::kCtaX, 1 << 24, 1, 2, 1}}}}},
      {.shared = {{1024, {{Variable::kLane, 16}}}}}};
  add(program, Opcode::kLd128, 24, {255, 255, 255}, 0);
  add(program, Opcode::kSt128, 255, {255, 24, 255}, 0);
  add(program, Opcode::kMembar, 255, {255, 255, 255});
  operate(Opcode::kSyncsExch, barrier(32, 1), true);
  add(program, Opcode::kClusterArrive, 255, {255, 255, 255});
  add(program, Opcode::kClusterWait, 255, {255, 255, 255});
  operate(Opcode::kSyncsArriveBytes, barrier(32, kBoxBytes), true);
  const isa::Expression other{2048, {{Variable::kCtaX, 1 << 24, 1, 2, 1}}};
  operate(Opcode::kUblkcpSS,
          isa::TileOperand{.shared = {1024},
                           .barrier = {32},
                           .row = isa::RowOperand{isa::kNoIndex, other, {kBoxBytes}}},
          true);
  operate(Opcode::kSyncsTryWait, barrier(32, 0), false);
  operate(Opcode::kSyncsArriveBytes, barrier(16, 2 * kBoxBytes), true);
  operate(
      Opcode::kUtmaldgMulticast2d,
      isa::TileOperand{.coordinates = {{0}, {0}}, .shared = {1024}, .barrier = {16}, .ranks = {3}},
      true);
  operate(Opcode::kSyncsTryWait, barrier(16, 0), false);
  operate(Opcode::kSyncsArriveBytes, barrier(0, 2 * kBoxBytes), true);
  for (const int row : {0, 32})
    operate(Opcode::kUtmaldg2d,
            isa::TileOperand{.coordinates = {{0}, {row}}, .shared = {1024}, .barrier = {0}}, true);
  operate(Opcode::kSyncsTryWait, barrier(0, 0), false);
  operate(Opcode::kSyncsTryWait, barrier(0, 0), false);
  operate(Opcode::kSyncsArrive, barrier(8, 0), false);
  operate(Opcode::kSyncsTryWait, barrier(8, 0), false);
  add(program, Opcode::kFenceViewAsync, 255, {255, 255, 255});
  for (const char* name : {"HGMMA.64x8x16.F32", "HGMMA.64x8x16.F32.RS"}) {
    for (int i = 0; i < 3; ++i) {
      operate(*isa::parse_opcode(name), isa::MatrixOperands{}, false);
      program.instructions.back().dst = 24;
      program.instructions.back().src = {8, 255, 24, 255};
      program.instructions.back().immediate = 1;
    }
    // Beside the last product: loads of shared memory and arithmetic.
    if (!std::string_view(name).ends_with(".RS")) {
      for (int i = 0; i < 2; ++i) add(program, Opcode::kLds128, 28, {8, 8, 8}, 1);
      for (int i = 0; i < 3; ++i) add(program, Opcode::kIadd3, 32, {8, 8, 8});
      for (int i = 0; i < 2; ++i) add(program, Opcode::kMufuEx2, 33, {8, 8, 8});
    }
    // Waits that are over take their time behind the products; so it shows how many are queued.
    if (std::string_view(name).ends_with(".RS"))
      for (int i = 0; i < 8; ++i) operate(Opcode::kSyncsTryWait, barrier(8, 0), false);
    add(program, Opcode::kWarpgroupDepbar, 255, {255, 255, 255});
  }
  add(program, Opcode::kExit, 255, {255, 255, 255});
  isa::KernelLaunch launch = launch_of(std::move(program), 64, 8);
  launch.cluster = {2, 1, 1};
  launch.tensor_maps = {
      {.name = "a", .element_bytes = 2, .extents = {64, 64}, .strides = {128}, .box = {64, 32}}};
  return launch;
}

TEST(KeyEffect, EveryKeyOfAsynchronousHardwareChangesWhatUsersSee) {
  const config::MachineFile base = library::read_machine("a100", asynchronous_machine);
  const auto view = [](const config::Machine& machine) {
    const isa::KernelLaunch launch = asynchronous_kernel();
    return run(machine, launch) + std::to_string(resident_clusters(machine, launch));
  };
  const std::string seen = view(base.machine);
  int changed = 0;
  for (const config::Setting& setting : base.settings) {
    if (!is_asynchronous(setting.key)) continue;
    config::MachineFile other =
        config::changed_a100(*config::find_key(setting.key), setting, asynchronous_machine);
    EXPECT_TRUE(view(other.machine) != seen) << setting.key;
    ++changed;
  }
  EXPECT_EQ(changed, std::ssize(asynchronous_machine));
}

}  // namespace
}  // namespace tcsim::gpu
