#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "sim/gpu/occupancy.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/gpu/cluster_program.hpp"
#include "tests/gpu/result.hpp"
#include "tests/gpu/timed_kernel.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::gpu::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary
using isa::BarrierOperand;
using isa::Opcode;

isa::KernelLaunch timed_clusters(Cycle cycles, std::int64_t ctas, int cluster) {
  isa::KernelLaunch launch = timed_kernel(cycles, ctas);
  launch.cluster = {cluster, 1, 1};
  return launch;
}

bool has_run(const Result& result, int sm) {
  return result.at("sm[" + std::to_string(sm) + "].sub_core[0].warp_instructions") > 0;
}

TEST(Clusters, LieOnSmsOfOneGpc) {
  const Result three = run({timed_clusters(100, 6, 3)}, {}, cluster_machine());
  for (const int sm : {0, 1, 2, 6, 7, 8}) EXPECT_TRUE(has_run(three, sm)) << sm;
  const Result four = run({timed_clusters(100, 4, 4)}, {}, cluster_machine());
  EXPECT_EQ(four.sum("warp_instructions"), 4u * 11);
}

TEST(Clusters, WaitForAGpcWithRoomForAll) {
  // One in the GPC of six and one in that of four, though ten SMs have places for ten CTAs.
  EXPECT_EQ(run({timed_clusters(1000, 8, 4)}, {}, cluster_machine()).outcome.cycles,
            kOverhead + 7 * kDispatch + 1000);
  EXPECT_GT(run({timed_clusters(1000, 12, 4)}, {}, cluster_machine()).outcome.cycles,
            kOverhead + 2 * 1000);
}

TEST(Clusters, AreNamedWithTheCtasThatRunAtOnce) {
  const KernelSpan four =
      run({timed_clusters(100, 12, 4)}, {}, cluster_machine()).outcome.kernels.at(0);
  EXPECT_EQ(four.cluster_size, 4);
  EXPECT_EQ(four.ctas_at_once, 8) << "of ten SMs";
  EXPECT_EQ(run({timed_kernel(100, 12)}, {}, cluster_machine()).outcome.kernels.at(0).ctas_at_once,
            10);
}

TEST(Clusters, AsManyAtOnceAsAnH100HasPlacesFor) {
  config::Machine machine = cluster_machine();
  machine.gpu = {.sms = 132, .sms_per_tpc = 2, .sms_per_gpc = {18, 18, 18, 18, 18, 16, 16, 10}};
  const auto count = [&](int size) {
    isa::KernelLaunch launch = timed_clusters(100, 4096, size);
    launch.shared_bytes_per_cta = 150 * 1024;  // one CTA on an SM
    return resident_clusters(machine, launch);
  };
  EXPECT_EQ(count(2), 66);  // FLASHVLA, measured
  EXPECT_EQ(count(4), 30);
  EXPECT_EQ(count(8), 15);
  EXPECT_EQ(count(16), 0) << "larger than this machine's largest";
}

TEST(ClusterBarrier, OpensSoLongAfterTheLastArrival) {
  Program program;
  program.op(Opcode::kNop, 15).by(1, 2);
  program.op(Opcode::kClusterArrive).op(Opcode::kClusterWait);
  const Cycle two = run({program.launch(2, 2)}, {}, cluster_machine()).outcome.cycles;
  Program without;
  without.op(Opcode::kNop, 15).by(1, 2);
  without.op(Opcode::kNop).op(Opcode::kNop);
  const Cycle none = run({without.launch(2, 2)}, {}, cluster_machine()).outcome.cycles;
  EXPECT_EQ(two - none, kBarrier + 2 * kBarrierCta - 2) << "both instructions take a cycle";
}

TEST(ClusterBarrier, WaitsForNoWarpThatHasExited) {
  Program program;
  program.op(Opcode::kClusterArrive).op(Opcode::kClusterWait);
  isa::KernelLaunch launch = program.launch(2, 2);
  launch.programs.push_back(Program().launch(2, 2).programs.front());
  launch.program_of_warp = {0, 1};
  launch.warps_per_cta = 2;
  EXPECT_EQ(run({launch}, {}, cluster_machine()).outcome.stop, StopReason::kFinished);
}

TEST(ClusterBarrier, OpensForItsOwnCtasAlone) {
  // Warps 0 of the first CTAs exit, and those of the last pair of CTAs get their places and wait
  // there, while the first pair's barrier opens.
  const isa::KernelLaunch launch = trace::read_tct(
      "tct 1\nkernel places\ngrid 6 1 1\ncluster 2 1 1\nwarps 2\nregisters 32\nshared 0\n"
      "program a warps 0\n"
      "  UCGABAR_ARV {stall=4}\n  EXIT @(ctaid.x < 4)\n  UCGABAR_WAIT {stall=4}\n"
      "  loop i0 < 400\n    NOP {stall=5}\n  end {stall=5}\n  EXIT\n"
      "program b warps 1\n"
      "  loop i0 < 200 - 199*(ctaid.x/2%2) + 600*(ctaid.x/4)\n    NOP {stall=5}\n  end {stall=5}\n"
      "  UCGABAR_ARV {stall=4}\n  UCGABAR_WAIT {stall=4}\n  EXIT\n",
      "k.tct");
  config::Machine machine = cluster_machine();
  machine.gpu = {.sms = 2, .sms_per_tpc = 2, .sms_per_gpc = {2}};
  machine.sm.residency.max_ctas = 2;
  EXPECT_GT(run({launch}, {}, machine).outcome.cycles, 10 * (800 + 400));
}

/// A cluster of three CTAs that meet twice at its barrier. Rank 1 ends before it comes there or
/// behind that, rank 2 comes after a thousand cycles.
Cycle cycles_without_rank_1(bool comes) {
  const std::string end = "  EXIT @(0 - ctaid.x < 0 && ctaid.x < 2)\n";
  const isa::KernelLaunch launch = trace::read_tct(
      "tct 1\nkernel left\ngrid 3 1 1\ncluster 3 1 1\nwarps 1\nregisters 32\nshared 0\n"
      "program a warps 0\n"
      "  loop i0 < 1 + 99*(ctaid.x/2)\n    NOP {stall=10}\n  end {stall=1}\n" +
          (comes ? "  UCGABAR_ARV {stall=4}\n" + end : end + "  UCGABAR_ARV {stall=4}\n") +
          "  UCGABAR_WAIT {stall=4}\n  UCGABAR_ARV {stall=4}\n  UCGABAR_WAIT {stall=4}\n  EXIT\n",
      "k.tct");
  const Result result = run({launch}, {}, cluster_machine());
  EXPECT_EQ(result.outcome.stop, StopReason::kFinished);
  return result.outcome.cycles;
}

TEST(ClusterBarrier, WaitsForNoCtaThatHasEnded) {
  constexpr Cycle kMeet = kBarrier + 3 * kBarrierCta;
  const Cycle ended = cycles_without_rank_1(false);
  EXPECT_GT(ended, 1000 + 2 * kMeet + kOverhead);
  EXPECT_LT(ended, 1000 + 3 * kMeet + kOverhead);
  // One that has come before it ended counts once.
  EXPECT_LE(std::abs(cycles_without_rank_1(true) - ended), 4);
}

/// Two clusters, one after the other on the same SMs. Rank 0 comes to the barrier late, rank 1
/// works on behind it; all end with `last`.
Cycle cycles_of_two_clusters(const std::string& last) {
  const isa::KernelLaunch launch = trace::read_tct(
      "tct 1\nkernel late\ngrid 4 1 1\ncluster 2 1 1\nwarps 1\nregisters 32\nshared 0\n"
      "program a warps 0\n"
      "  loop i0 < 400 - 399*(ctaid.x%2)\n    NOP {stall=5}\n  end {stall=5}\n"
      "  UCGABAR_ARV {stall=4}\n  UCGABAR_WAIT {stall=4}\n"
      "  loop i0 < 1 + 399*(ctaid.x%2)\n    NOP {stall=5}\n  end {stall=5}\n" +
          last + " {stall=4}\n  EXIT\n",
      "k.tct");
  config::Machine machine = cluster_machine();
  machine.gpu = {.sms = 2, .sms_per_tpc = 2, .sms_per_gpc = {2}};
  machine.sm.residency.max_ctas = 1;
  return run({launch}, {}, machine).outcome.cycles;
}

TEST(ClusterBarrier, ArrivalsOfCtasThatHaveEndedCountInNoOtherCluster) {
  EXPECT_NEAR(static_cast<double>(cycles_of_two_clusters("  UCGABAR_ARV")),
              static_cast<double>(cycles_of_two_clusters("  NOP")), 20);
}

/// Rank 0 waits at an mbarrier for an arrival of rank 1.
Program remote_arrival() {
  Program program;
  program.op(Opcode::kSyncsExch, BarrierOperand{{64}, {1}});
  program.op(Opcode::kClusterArrive).op(Opcode::kClusterWait);
  program.op(Opcode::kSyncsArriveRemote, BarrierOperand{{64}, {0}}).by(1, 2);
  program.op(Opcode::kSyncsTryWait, BarrierOperand{{64}, {0}}).by(0, 2);
  return program;
}

TEST(RemoteArrival, TakesAHopLonger) {
  config::Machine machine = cluster_machine();
  const Cycle near = run({remote_arrival().launch(2, 2)}, {}, machine).outcome.cycles;
  machine.sm.cluster.hop_cycles += 100;
  EXPECT_EQ(run({remote_arrival().launch(2, 2)}, {}, machine).outcome.cycles - near, 100);
}

TEST(RemoteArrival, ThatNeverComesIsADeadlock) {
  Program program;
  program.op(Opcode::kSyncsExch, BarrierOperand{{64}, {1}});
  program.op(Opcode::kSyncsTryWait, BarrierOperand{{64}, {0}}).by(0, 2);
  const Result result = run({program.launch(2, 2)}, {}, cluster_machine());
  EXPECT_EQ(result.outcome.stop, StopReason::kDeadlock);
  EXPECT_NE(result.outcome.diagnosis.find("lacks 1 of 1 arrivals"), std::string::npos)
      << result.outcome.diagnosis;
  Program alone;
  alone.op(Opcode::kSyncsExch, BarrierOperand{{64}, {1}});
  alone.op(Opcode::kSyncsTryWait, BarrierOperand{{64}, {0}}).by(1, 2);
  alone.op(Opcode::kClusterArrive).op(Opcode::kClusterWait);
  const Result barrier = run({alone.launch(2, 2)}, {}, cluster_machine());
  EXPECT_EQ(barrier.outcome.stop, StopReason::kDeadlock);
  EXPECT_NE(barrier.outcome.diagnosis.find("the other CTAs of their cluster"), std::string::npos)
      << barrier.outcome.diagnosis;
}

TEST(RemoteArrival, WhereThereIsNoMbarrierIsTold) {
  Program program;
  program.op(Opcode::kSyncsExch, BarrierOperand{{64}, {1}});
  program.op(Opcode::kClusterArrive).op(Opcode::kClusterWait);
  program.op(Opcode::kSyncsArriveRemote, BarrierOperand{{72}, {0}}).by(1, 2);
  program.op(Opcode::kSyncsTryWait, BarrierOperand{{64}, {0}}).by(0, 2);
  const Result result = run({program.launch(2, 2)}, {}, cluster_machine());
  EXPECT_EQ(result.outcome.stop, StopReason::kDeadlock);
  EXPECT_NE(result.outcome.diagnosis.find(
                "lacks 1 of 1 arrivals; no instruction of the kernel arrives there; 1 arrival came "
                "to shared byte 72, where there is no mbarrier"),
            std::string::npos)
      << result.outcome.diagnosis;
}

/// Every CTA of a cluster of two gets a box, which rank 0 asks for; or each asks for its own.
Program boxes(bool for_both, int row) {
  constexpr int kBytes = 32 * 128;
  Program program;
  program.op(Opcode::kSyncsExch, BarrierOperand{{64}, {1}});
  program.op(Opcode::kClusterArrive).op(Opcode::kClusterWait);
  program.op(Opcode::kSyncsArriveBytes, BarrierOperand{{64}, {kBytes}});
  isa::TileOperand box{
      .map = 0, .coordinates = {{0}, {row}}, .shared = {1024}, .barrier = {64}, .ranks = {0b11}};
  if (for_both)
    program.op(Opcode::kUtmaldgMulticast2d, box).by(0, 2);
  else
    program.op(Opcode::kUtmaldg2d, box);
  return program.op(Opcode::kSyncsTryWait, BarrierOperand{{64}, {0}});
}

TEST(Multicast, ReadsABoxOnceForAllItsCtas) {
  const Result apart = run({boxes(false, 0).launch(2, 2)}, {}, cluster_machine());
  const Result both = run({boxes(true, 0).launch(2, 2)}, {}, cluster_machine());
  ASSERT_EQ(both.outcome.stop, StopReason::kFinished) << both.outcome.diagnosis;
  EXPECT_EQ(apart.sum("shared_fill_bytes"), 2u * 32 * 128);
  EXPECT_EQ(both.sum("shared_fill_bytes"), 2u * 32 * 128);
  EXPECT_EQ(apart.sum("l2_read_bytes") - both.sum("l2_read_bytes"), 32u * 128);
}

TEST(Multicast, TakesItsLatencyLonger) {
  config::Machine machine = cluster_machine();
  const Cycle before = run({boxes(true, 0).launch(2, 2)}, {}, machine).outcome.cycles;
  machine.noc.multicast_latency_cycles = 500;
  const Cycle after = run({boxes(true, 0).launch(2, 2)}, {}, machine).outcome.cycles;
  EXPECT_EQ(after - before, 500 * machine.clocks.sm_mhz / machine.clocks.l2_mhz);
}

TEST(Multicast, CompletesTheBytesOutsideTheTensorToo) {
  for (const int row : {32, 48, 1000}) {  // half of the box is outside, all of it
    const Result result = run({boxes(true, row).launch(2, 2)}, {}, cluster_machine());
    EXPECT_EQ(result.outcome.stop, StopReason::kFinished) << row << result.outcome.diagnosis;
  }
}

TEST(Multicast, ToTheWrongCtaIsADeadlock) {
  Program program = boxes(true, 0);
  isa::KernelLaunch launch = program.launch(2, 2);
  for (isa::AsyncOperands& operands : launch.programs[0].async)
    if (auto* tile = std::get_if<isa::TileOperand>(&operands)) tile->ranks = {0b01};
  const Result result = run({launch}, {}, cluster_machine());
  EXPECT_EQ(result.outcome.stop, StopReason::kDeadlock);
  EXPECT_NE(result.outcome.diagnosis.find("4096 bytes"), std::string::npos)
      << result.outcome.diagnosis;
}

TEST(Clusters, EveryQuantumGivesTheSameCycles) {
  for (const isa::KernelLaunch& launch :
       {remote_arrival().launch(20, 2), boxes(true, 16).launch(20, 2)}) {
    const Result whole = run({launch}, {}, cluster_machine());
    for (const Cycle quantum : {1, 7, 40}) {
      const Result cut = run({launch}, {.quantum = quantum}, cluster_machine());
      EXPECT_EQ(cut.outcome.cycles, whole.outcome.cycles) << quantum;
      EXPECT_TRUE(cut.counters == whole.counters) << quantum;
    }
  }
}

}  // namespace
}  // namespace tcsim::gpu::test
