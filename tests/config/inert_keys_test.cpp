#include "sim/config/inert_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/load.hpp"
#include "sim/config/mma_interval.hpp"

namespace tcsim::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Overrides = std::vector<std::string>;

std::vector<std::string> notes(const std::string& machine, const Overrides& overrides = {}) {
  return inert_notes(read_machine(machine, overrides));
}

/// What a run with HMMA.16816.F32 says of its overrides.
std::vector<std::string> override_notes(const std::string& machine, const Overrides& overrides) {
  return inert_override_notes(read_machine(machine, overrides), {isa::Opcode::kHmma16816F32});
}

TEST(MmaInterval, IsTheLargestOfRateLeastIntervalAndPorts) {
  const auto of = [](const std::string& machine, const Overrides& overrides) {
    return *mma_interval(load_machine(machine, overrides), isa::Opcode::kHmma16816F32);
  };
  EXPECT_EQ(of("a100", {}).cycles(), 8);  // 2048 multiply-adds at 256
  EXPECT_FALSE(of("a100", {}).is_held());
  EXPECT_EQ(of("a100", {"sm.tensor.fp16_macs=1024"}).rate_cycles, 2);
  EXPECT_EQ(of("a100", {"sm.tensor.fp16_macs=1024"}).cycles(),
            6);  // 4 + 2 registers of A and B, one a cycle
  EXPECT_EQ(
      of("a100", {"sm.tensor.fp16_macs=1024", "sm.tensor.operand_registers_per_cycle=2"}).cycles(),
      5);  // 4 + 2 + 4 registers, two a cycle
  EXPECT_EQ(of("h100", {}).cycles(), 6);
  EXPECT_EQ(of("h100", {}).rate_cycles, 4);
  EXPECT_TRUE(of("h100", {}).is_held());
}

TEST(MmaInterval, OfTheStepsOfVoltaIsTheirMean) {
  const Machine machine = load_machine("v100");
  for (const isa::Opcode step : {isa::Opcode::kHmma884F32Step0, isa::Opcode::kHmma884F32Step3}) {
    EXPECT_EQ(mma_interval(machine, step)->registers, 3);  // 2 + 2 + 2, then 2 three times
    EXPECT_EQ(mma_interval(machine, step)->port_cycles, 2);
    EXPECT_FALSE(mma_interval(machine, step)->is_held());
  }
}

TEST(MmaInterval, OfAProductIsThatOfItsPartsOnASubCore) {
  const auto of = [](const Overrides& overrides) {
    return *mma_interval(load_machine("h100", overrides),
                         *isa::parse_opcode("HGMMA.64x256x16.F32"));
  };
  EXPECT_EQ(of({}).cycles(), 128);
  EXPECT_FALSE(of({}).is_held());
  EXPECT_EQ(of({"sm.group_tensor.extra_cycles=1"}).binding_keys(), "sm.group_tensor.extra_cycles");
  const MmaInterval of_two = of({"sm.sub_cores=2", "sm.pipes.fp32_lanes=64",
                                 "sm.pipes.half2_lanes=64", "sm.pipes.bf16x2_lanes=64"});
  EXPECT_EQ(of_two.cycles(), 128);  // two of four parts in 256
  EXPECT_FALSE(of_two.is_held());
  const MmaInterval of_eight = of({"sm.sub_cores=8"});
  EXPECT_EQ(of_eight.cycles(), 256);  // half of them have no part
  EXPECT_EQ(of_eight.binding_keys(), "sm.sub_cores");
}

TEST(InertKeys, ARateBehindALeastIntervalNamesItsKey) {
  EXPECT_THAT(
      override_notes("h100", {"sm.tensor.fp16_macs=1024"}),
      ElementsAre("sm.tensor.fp16_macs = 1024 does not bind: sm.tensor.operand_registers_per_cycle "
                  "does (HMMA.16816.F32: 6 cycles >= 2)"));
  EXPECT_THAT(
      override_notes("h100", {"sm.tensor.fp16_macs=1024",
                              "sm.tensor.instructions.HMMA.16816.F32.min_interval_cycles=8"}),
      Contains("sm.tensor.fp16_macs = 1024 does not bind: "
               "sm.tensor.instructions.HMMA.16816.F32.min_interval_cycles does (HMMA.16816.F32: 8 "
               "cycles >= 2)"));
}

TEST(InertKeys, ARateBehindOperandsOrRegisterPortsNamesTheirKeys) {
  EXPECT_THAT(
      override_notes("a100", {"sm.tensor.fp16_macs=1024"}),
      ElementsAre("sm.tensor.fp16_macs = 1024 does not bind: sm.tensor.operand_registers_per_cycle "
                  "does (HMMA.16816.F32: 6 cycles >= 2)"));
  EXPECT_THAT(
      override_notes("a100",
                     {"sm.tensor.fp16_macs=1024", "sm.tensor.operand_registers_per_cycle=4"}),
      Contains("sm.tensor.fp16_macs = 1024 does not bind: sm.register_file.banks x "
               "read_ports_per_bank does (HMMA.16816.F32: 5 cycles for 10 registers >= 2)"));
}

TEST(InertKeys, ARateThatProductsOfWarpgroupsFollowIsInertForOthersAlone) {
  EXPECT_THAT(notes("h100"),
              Contains(HasSubstr("sm.tensor.fp16_macs = 512 does not bind on HMMA.1688.F32, ")));
}

TEST(InertKeys, ARateThatBindsActs) {
  EXPECT_THAT(override_notes("a100", {"sm.tensor.fp16_macs=128"}), IsEmpty());
  EXPECT_THAT(override_notes("h100", {"sm.tensor.fp16_macs=256"}), IsEmpty());
  EXPECT_THAT(notes("a100"), Not(Contains(HasSubstr("sm.tensor.fp16_macs = 256 does not bind:"))));
}

TEST(InertKeys, MeasuredLatenciesStandOnAnotherCoreAndSaySo) {
  EXPECT_THAT(
      override_notes("a100", {"sm.tensor.core=16x8x8"}),
      ElementsAre("sm.tensor.core = 16x8x8: latencies remain as measured: HMMA.16816.F32 25 "
                  "(derived 22); with sm.tensor.instruction_timing=derived they follow"));
  EXPECT_THAT(
      override_notes("a100", {"sm.tensor.core=16x8x8", "sm.tensor.instruction_timing=derived"}),
      IsEmpty());
}

TEST(InertKeys, ALeastIntervalBelowTheRateDoesNotAct) {
  const std::string key = "sm.tensor.instructions.HMMA.16816.F32.min_interval_cycles";
  EXPECT_THAT(
      override_notes("a100", {key + "=7"}),
      ElementsAre(key +
                  " = 7 has no effect: sm.tensor.fp16_macs binds (HMMA.16816.F32: 8 cycles >= 7)"));
  EXPECT_THAT(override_notes("a100", {key + "=8"}), IsEmpty());
}

TEST(InertKeys, OnlySomeInstructionsOfATypeMayBeHeld) {
  EXPECT_THAT(
      notes("a100"),
      Contains("sm.tensor.int8_macs = 512 does not bind on IMMA.8816.S8.S8, IMMA.SP.16832.S8.S8: "
               "sm.tensor.least_interval_cycles or sm.tensor.sparse_least_interval_cycles does "
               "(IMMA.8816.S8.S8: 4 cycles >= 2; IMMA.SP.16832.S8.S8: 6 cycles >= 4)"));
}

TEST(InertKeys, WhatNoKernelOfTheRunTouchesDoesNotAct) {
  EXPECT_THAT(override_notes("a100", {"sm.tensor.int8_macs=1024"}),
              ElementsAre(HasSubstr("no kernel of this run multiplies that format")));
  EXPECT_THAT(override_notes("a100", {"sm.tensor.products.int8=4"}),
              Contains("sm.tensor.products.int8 = 4 has no effect: no kernel of this run "
                       "multiplies that format on tensor cores"));
  EXPECT_THAT(override_notes("a100", {"sm.tensor.instructions.DMMA.884.latency_cycles=30"}),
              ElementsAre(HasSubstr("no kernel of this run issues the instruction")));
}

TEST(InertKeys, ProductsOfWarpgroupsMultiplyTheirFormat) {
  const MachineFile h100 = read_machine("h100", {"sm.tensor.fp8_macs=1024"});
  const isa::Opcode product = *isa::parse_opcode("QGMMA.64x64x32.F32.E4M3.E4M3");
  EXPECT_THAT(inert_override_notes(h100, {product}), IsEmpty());
  EXPECT_THAT(inert_override_notes(h100), IsEmpty()) << "any may run";
  EXPECT_THAT(inert_override_notes(h100, {isa::Opcode::kHmma16816F32}),
              ElementsAre(HasSubstr("no kernel of this run multiplies that format")));
}

TEST(InertKeys, WhatOnlyThePeakReadsChangesNoRun) {
  EXPECT_THAT(override_notes("h100", {"clocks.tensor_boost_mhz=1900"}),
              ElementsAre("clocks.tensor_boost_mhz = 1900 changes only the peak, no simulation"));
  EXPECT_THAT(override_notes("h100", {"descriptive.tdp_w=300"}),
              ElementsAre("descriptive.tdp_w = 300 is read by no model"));
  EXPECT_THAT(override_notes("h100", {"descriptive.memory_gb=300"}),
              ElementsAre("descriptive.memory_gb = 300 decides only whether a run is refused; it "
                          "changes no result"));
}

TEST(InertKeys, PortsThatOthersFeedTooSlowly) {
  EXPECT_THAT(override_notes("a100", {"noc.gpc_read_bytes_per_cycle=2000"}),
              Contains("noc.gpc_read_bytes_per_cycle = 2000 does not raise the rate: "
                       "noc.sm_read_bytes_per_cycle = 64 binds (16 x 64 <= 2000)"));
  EXPECT_THAT(override_notes("a100", {"noc.gpc_read_bytes_per_cycle=1024"}),
              Not(Contains(HasSubstr("does not raise the rate:"))));
  EXPECT_THAT(override_notes("a100", {"noc.sm_read_bytes_per_cycle=600"}),
              ElementsAre("noc.sm_read_bytes_per_cycle = 600 does not raise the rate: "
                          "noc.gpc_read_bytes_per_cycle = 578 binds"));
  EXPECT_THAT(override_notes("h100", {"noc.gpc_read_bytes_per_cycle=3000"}),
              Contains("noc.gpc_read_bytes_per_cycle = 3000 does not raise the rate: "
                       "noc.tpc_read_bytes_per_cycle = 171 binds (9 x 171 <= 3000)"));
  EXPECT_THAT(override_notes("h100", {"noc.tpc_read_bytes_per_cycle=300"}),
              Contains("noc.tpc_read_bytes_per_cycle = 300 does not raise the rate: "
                       "noc.sm_read_bytes_per_cycle = 131 binds (2 x 131 <= 300)"));
}

TEST(InertKeys, BandwidthThatTheNetworkCannotCarry) {
  EXPECT_THAT(override_notes("a100", {"l2.slices=160", "dram.channels=160"}),
              Contains(HasSubstr("l2.slices = 160 does not raise the rate of reads of all SMs "
                                 "together: the network")));
  EXPECT_THAT(override_notes("a100", {"dram.channels=320"}),
              Contains(HasSubstr("dram.channels = 320 does not raise the rate of reads")));
}

TEST(InertKeys, PinsThatTheChannelsReturnPathDoesNotFollow) {
  EXPECT_THAT(notes("a100-80gb"),
              Contains("clocks.memory_mhz = 1593 does not raise the rate of reads: "
                       "dram.return_bytes_per_cycle = 16 x dram.channels = 80 carries 1805 of the "
                       "pins' 2039 GB/s"));
  EXPECT_THAT(notes("a100"), Not(Contains(HasSubstr("clocks.memory_mhz"))));
}

TEST(InertKeys, TimesBelowThatOfAPart) {
  EXPECT_THAT(override_notes("a100", {"l2.crossing_latency_cycles=20"}),
              ElementsAre("l2.crossing_latency_cycles = 20 acts as 74: l2.hit_latency_cycles = 72 "
                          "and a cycle in each direction are part of it"));
  EXPECT_THAT(override_notes("a100", {"l2.crossing_latency_cycles=74"}), IsEmpty());
  EXPECT_THAT(override_notes("a100", {"launch.overhead_us=0.155"}),
              ElementsAre("launch.overhead_us = 0.155 does not shorten the first launch: "
                          "launch.cta_start_cycles = 220 take 0.156 us"));
  EXPECT_THAT(override_notes("a100", {"launch.overhead_us=0.157"}), IsEmpty());
}

TEST(InertKeys, WhatIsSwitchedOff) {
  EXPECT_THAT(override_notes("a100", {"sm.instruction_fetch.l0_bytes=0",
                                      "sm.instruction_fetch.prefetch_lines=1"}),
              ElementsAre("sm.instruction_fetch.prefetch_lines = 1 has no effect: "
                          "sm.instruction_fetch.l0_bytes is 0"));
  EXPECT_THAT(override_notes("a100", {"tlb.tpc_entries=0", "tlb.walk_latency_cycles=9"}),
              ElementsAre(HasSubstr("tlb.walk_latency_cycles = 9 has no effect")));
  EXPECT_THAT(override_notes("a100", {"dram.scheduling=fcfs", "dram.row_hit_cap=9"}),
              ElementsAre("dram.row_hit_cap = 9 has no effect: dram.scheduling is fcfs"));
  EXPECT_THAT(
      override_notes("a100", {"noc.coalescer_window_cycles=9"}),
      ElementsAre("noc.coalescer_window_cycles = 9 has no effect: noc.coalescer_entries is 0"));
  EXPECT_THAT(override_notes("a100", {"sm.cluster.hop_cycles=300"}),
              ElementsAre("sm.cluster.hop_cycles = 300 has no effect: sm.cluster.largest is 0"));
  EXPECT_THAT(override_notes("a100", {"sm.group_tensor.extra_cycles=9"}),
              ElementsAre("sm.group_tensor.extra_cycles = 9 has no effect: "
                          "sm.group_tensor.shared_operations is 0"));
  EXPECT_THAT(override_notes("a100", {"sm.mbarrier.arrive_cycles=9"}),
              ElementsAre("sm.mbarrier.arrive_cycles = 9 has no effect: "
                          "sm.mbarrier.interval_cycles is 0"));
  EXPECT_THAT(override_notes("a100", {"sm.tile_copy.start_cycles=3"}),
              ElementsAre("sm.tile_copy.start_cycles = 3 has no effect: "
                          "sm.tile_copy.bytes_in_flight is 0"));
  EXPECT_THAT(override_notes("p100", {"sm.tensor.pipeline_cycles=7"}),
              ElementsAre("sm.tensor.pipeline_cycles = 7 has no effect: "
                          "sm.tensor.cores_per_sub_core is 0"));
  EXPECT_THAT(
      override_notes("p100", {"sm.tensor.instructions.HMMA.16816.F32.latency_cycles=derived"}),
      Contains("sm.tensor.instructions.HMMA.16816.F32.latency_cycles = derived has no effect: "
               "sm.tensor.cores_per_sub_core is 0"));
  EXPECT_THAT(override_notes("lab-tiny", {"noc.distance_spread_cycles=40"}),
              ElementsAre("noc.distance_spread_cycles = 40 has no effect: l2.slices is 1"));
  EXPECT_THAT(override_notes("lab-tiny", {"dram.t_ccd_r_clocks=9"}),
              ElementsAre("dram.t_ccd_r_clocks = 9 has no effect: dram.stack_ids is 1"));
  EXPECT_THAT(
      override_notes("h100", {"noc.coalescer_window_cycles=9", "sm.cluster.hop_cycles=300",
                              "sm.group_tensor.extra_cycles=9", "dram.t_ccd_r_clocks=9",
                              "sm.mbarrier.arrive_cycles=9", "sm.tile_copy.start_cycles=3"}),
      IsEmpty());
}

TEST(InertKeys, SectionsThatAFileLeavesOutNeedNoNote) {
  EXPECT_THAT(notes("a100"), Not(Contains(HasSubstr("sm.cluster"))));
  EXPECT_THAT(notes("a100"), Not(Contains(HasSubstr("noc.coalescer"))));
  EXPECT_THAT(notes("a100", {"sm.cluster.hop_cycles=300"}),
              Contains("sm.cluster.* has no effect: sm.cluster.largest is 0"));
}

}  // namespace
}  // namespace tcsim::config
