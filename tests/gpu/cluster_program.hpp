#pragma once

#include <cstdint>
#include <utility>

#include "models/isa/launch.hpp"
#include "sim/config/machine.hpp"
#include "tests/support/ampere_machine.hpp"

namespace tcsim::gpu::test {

inline constexpr int kHop = 78;
inline constexpr int kArrive = 29;
inline constexpr int kOwnLoad = 40;
inline constexpr int kBarrier = 300;
inline constexpr int kBarrierCta = 50;

/// Two GPCs, one with six SMs and one with four, with clusters.
inline config::Machine cluster_machine() {
  config::Machine machine = tcsim::test::ampere_machine();
  machine.gpu = {.sms = 10, .sms_per_tpc = 2, .sms_per_gpc = {6, 4}};
  machine.sm.mbarrier = {.interval_cycles = 2,
                         .arrive_cycles = kArrive,
                         .wait_cycles = 36,
                         .wake_cycles = 12,
                         .fence_cycles = 32};
  machine.sm.tile_copy = {
      .bytes_in_flight = 8192, .issue_cycles = 32, .start_cycles = 100, .request_cycles = 1};
  machine.sm.cluster = {.largest = 8,
                        .barrier_cycles = kBarrier,
                        .barrier_cta_cycles = kBarrierCta,
                        .hop_cycles = kHop,
                        .port_sms = 6,
                        .port_lanes = 4,
                        .packet_bytes = 32,
                        .load_latency_cycles = kOwnLoad,
                        .read_bytes = 512,
                        .write_bytes = 256,
                        .put_bytes = 512};
  return machine;
}

/// A launch of CTAs of one warp, one per SM, that all run the program.
class Program {
 public:
  Program& op(isa::Opcode opcode, int stall = 1) {
    isa::Instruction instruction{.opcode = opcode};
    instruction.control.stall = static_cast<std::uint8_t>(stall);
    program_.instructions.push_back(instruction);
    return *this;
  }
  Program& op(isa::Opcode opcode, isa::AsyncOperands operands) {
    op(opcode);
    program_.instructions.back().access = static_cast<int>(program_.async.size());
    program_.async.push_back(std::move(operands));
    return *this;
  }
  /// A load into R0 on, a store from there or an atomic on it, in the shared memory of the cluster;
  /// it counts dependence counter 0 up until its results have arrived.
  Program& cluster(isa::Opcode opcode, const isa::Address& address) {
    op(opcode);
    isa::Instruction& added = program_.instructions.back();
    const isa::OpcodeInfo& info = isa::opcode_info(opcode);
    if (info.dst_registers > 0) {
      added.dst = 0;
      added.control.write_counter = 0;
    }
    if (isa::carries_data(info.effect)) added.src[1] = 4;
    added.access = static_cast<int>(program_.accesses.size());
    program_.accesses.push_back({.shared = address});
    return *this;
  }
  /// The last added instruction waits for that counter.
  Program& waits() {
    program_.instructions.back().control.wait_mask = 1;
    return *this;
  }
  /// Only CTAs whose rank in a cluster of `size` is `rank` execute the last added instruction.
  Program& by(int rank, int size) {
    isa::Guard guard;  // rank - wanted < 1 and wanted - rank < 1
    for (const int sign : {1, -1})
      guard.bounds.push_back(
          {{-sign * rank, {{isa::Variable::kCtaX, sign, 1, static_cast<std::uint32_t>(size)}}}, 1});
    program_.instructions.back().guard = static_cast<int>(program_.guards.size());
    program_.guards.push_back(guard);
    return *this;
  }
  [[nodiscard]] isa::KernelLaunch launch(std::int64_t ctas, int cluster) const {
    isa::KernelLaunch launch;
    launch.grid = {ctas, 1, 1};
    launch.cluster = {cluster, 1, 1};
    launch.warps_per_cta = 1;
    launch.registers_per_thread = 32;
    launch.shared_bytes_per_cta = 100 * 1024;
    launch.programs = {program_};
    launch.programs[0].instructions.push_back({.opcode = isa::Opcode::kExit});
    launch.programs[0].instructions.back().control.stall = 1;
    launch.program_of_warp = {0};
    launch.buffers = {{"A", 0, 1 << 20}};
    launch.tensor_maps = {
        {.name = "A", .element_bytes = 2, .extents = {64, 48}, .strides = {128}, .box = {64, 32}}};
    return launch;
  }

 private:
  isa::WarpProgram program_;
};

}  // namespace tcsim::gpu::test
