// Time of loads, stores and atomics in the shared memory of other CTAs of a cluster.

#include <gtest/gtest.h>

#include <string>

#include "sim/gpu/simulation.hpp"
#include "tests/gpu/cluster_program.hpp"
#include "tests/gpu/result.hpp"

namespace tcsim::gpu::test {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr std::int64_t kRank1 = isa::cluster_address(1, 0);

/// Byte `step` * lane of the CTA of rank `rank`; of the other one of two.
isa::Address at_rank(int rank, std::int64_t step = 4) {
  return {{isa::cluster_address(rank, 0), {{Variable::kLane, step}}}};
}
isa::Address at_other(std::int64_t step) {
  return {{0, {{Variable::kLane, step}, {Variable::kCtaX, kRank1, 1, 2, 1}}}};
}

Result run_pair(const Program& program, const config::Machine& machine = cluster_machine()) {
  return run({program.launch(2, 2)}, {}, machine);
}

/// Rank 0 loads once and waits.
Cycle load_time(const isa::Address& address, const config::Machine& machine = cluster_machine()) {
  Program program;
  program.cluster(Opcode::kLd32, address).by(0, 2);
  program.op(Opcode::kNop).waits();
  program.op(Opcode::kClusterArrive).op(Opcode::kClusterWait);
  return run_pair(program, machine).outcome.cycles;
}

TEST(ClusterMemoryTime, OfALoadIsTwoHopsAndItsPacketsMoreAtAnotherCta) {
  const Cycle own = load_time(at_rank(0));
  // A packet of request adds a cycle, five of the answer, 128 bytes and a header, seven.
  EXPECT_EQ(load_time(at_rank(1)) - own, 2 * kHop + 1 + 7);
  config::Machine machine = cluster_machine();
  machine.sm.cluster.load_latency_cycles += 10;
  EXPECT_EQ(load_time(at_rank(0), machine) - own, 10);
  EXPECT_EQ(load_time(at_rank(1), machine) - own, 10 + 2 * kHop + 1 + 7);
}

TEST(ClusterMemoryTime, OfALoadGrowsWithBankConflictsThere) {
  // 32 wavefronts in the place of one: so many packets of request, 1.5 cycles each, and behind the
  // last of them all wavefronts.
  const config::Machine machine = cluster_machine();
  const int extra = 31 * machine.sm.shared_memory.conflict_extra_cycles;
  EXPECT_EQ(load_time(at_rank(1, 128)) - load_time(at_rank(1)), 47 - 1 + extra);
  EXPECT_EQ(load_time(at_rank(0, 128)) - load_time(at_rank(0)), extra);
}

/// Of `count` instructions one after the other and the wait for all of them.
Cycle stream_time(Opcode opcode, int count, bool both_ways) {
  Program program;
  for (int i = 0; i < count; ++i) {
    program.cluster(opcode, at_other(16));
    if (!both_ways) program.by(0, 2);
  }
  program.op(Opcode::kMembar).waits();
  program.op(Opcode::kClusterArrive).op(Opcode::kClusterWait);
  return run_pair(program).outcome.cycles;
}

/// Cycles of one more instruction.
double interval(Opcode opcode, bool both_ways) {
  return static_cast<double>(stream_time(opcode, 48, both_ways) -
                             stream_time(opcode, 16, both_ways)) /
         32;
}

TEST(ClusterMemoryTime, FollowsThePacketsOfTheBusierPort) {
  EXPECT_EQ(interval(Opcode::kLd128, false), 1.5 * (16 + 1));      // data and a header
  EXPECT_EQ(interval(Opcode::kSt128, false), 1.5 * (16 + 2));      // and two headers
  EXPECT_NEAR(interval(Opcode::kLd128, true), 1.5 * (17 + 4), 1);  // and four requests
  EXPECT_NEAR(interval(Opcode::kSt128, true), 1.5 * (18 + 1), 1);  // and the other's answer
}

TEST(ClusterMemoryTime, OfAtomicsOnOneWordIsThatOfTheirPassesThere) {
  Program program;
  program.cluster(Opcode::kAtomAdd, at_rank(1, 0)).by(0, 2);
  program.op(Opcode::kNop).waits();
  program.op(Opcode::kClusterArrive).op(Opcode::kClusterWait);
  const Result result = run_pair(program);
  EXPECT_EQ(result.sum("shared_atomic_lanes"), 32u);
  EXPECT_GT(result.sum("memory_pipeline_busy_cycles"),
            32u * cluster_machine().sm.shared_memory.atomic_pass_cycles);
}

TEST(ClusterMemory, OfACtaThatHasEndedIsADeadlockThatSaysSo) {
  for (const Opcode opcode : {Opcode::kLd32, Opcode::kSt32}) {
    Program program;
    for (int i = 0; i < 40; ++i) program.op(Opcode::kNop, 15).by(0, 2);
    program.cluster(opcode, at_rank(1)).by(0, 2);
    program.op(Opcode::kNop).waits();
    const Result result = run_pair(program);
    EXPECT_EQ(result.outcome.stop, StopReason::kDeadlock);
    EXPECT_NE(result.outcome.diagnosis.find("shared memory of rank 1"), std::string::npos)
        << result.outcome.diagnosis;
  }
}

TEST(ClusterMemory, OutsideTheClusterIsADeadlockThatSaysSo) {
  Program program;
  program.cluster(Opcode::kLd32, at_rank(5)).by(0, 2);
  program.op(Opcode::kNop).waits();
  const Result result = run_pair(program);
  EXPECT_EQ(result.outcome.stop, StopReason::kDeadlock);
  EXPECT_NE(result.outcome.diagnosis.find("shared memory of rank 5"), std::string::npos)
      << result.outcome.diagnosis;
}

TEST(ClusterMemory, StoresHoldTheirCtaUntilTheyAreAnswered) {
  // Nobody waits for the store, but the cluster stays until it is done: it is there for its target.
  Program program;
  program.cluster(Opcode::kSt32, at_rank(1)).by(0, 2);
  program.op(Opcode::kClusterArrive);
  const Result result = run_pair(program);
  ASSERT_EQ(result.outcome.stop, StopReason::kDeadlock) << "the target has ended by then";
  program.op(Opcode::kClusterWait);
  EXPECT_EQ(run_pair(program).outcome.stop, StopReason::kFinished);
}

TEST(ClusterMemory, EveryQuantumAndNumberOfThreadsGivesTheSameCycles) {
  Program program;
  for (const Opcode opcode : {Opcode::kLd32, Opcode::kSt128, Opcode::kAtomAdd, Opcode::kLd128})
    program.cluster(opcode, at_other(16));
  program.op(Opcode::kMembar).waits();
  program.op(Opcode::kClusterArrive).op(Opcode::kClusterWait);
  const isa::KernelLaunch launch = program.launch(20, 2);
  const Result whole = run({launch}, {}, cluster_machine());
  ASSERT_EQ(whole.outcome.stop, StopReason::kFinished) << whole.outcome.diagnosis;
  for (const Cycle quantum : {1, 7, 40})
    for (const int threads : {1, 3}) {
      const Result cut = run({launch}, {.quantum = quantum, .threads = threads}, cluster_machine());
      EXPECT_EQ(cut.outcome.cycles, whole.outcome.cycles) << quantum;
      EXPECT_TRUE(cut.counters == whole.counters) << quantum;
    }
}

}  // namespace
}  // namespace tcsim::gpu::test
