// Bytes in a row that TMA copies from CTA to CTA of a cluster, and into the L2.

#include <gtest/gtest.h>

#include "tests/gpu/cluster_program.hpp"
#include "tests/gpu/result.hpp"

namespace tcsim::gpu::test {
namespace {

using isa::BarrierOperand;
using isa::Opcode;

constexpr int kBarrierByte = 64;
constexpr std::int64_t kFrom = 1024;
constexpr std::int64_t kTo = 48 * 1024;
constexpr int kCyclesOfPiece = 24;  // 16 packets of 32 bytes, six SMs on four lanes
constexpr double kPieceBytes = 512;

/// `bytes` of the giving ranks' shared memory to the next rank, which waits for `expected`; then
/// all meet. Of a cluster of `size`, by rank 0 alone or by all.
Program puts(int size, bool all, int bytes, int expected) {
  const isa::Expression to{kTo,
                           {{.variable = isa::Variable::kCtaX,
                             .coefficient = isa::cluster_address(1, 0),
                             .modulus = static_cast<std::uint32_t>(size),
                             .offset = 1}}};
  Program program;
  const auto only = [&](int rank) {
    if (!all) program.by(rank, size);
  };
  program.op(Opcode::kSyncsExch, BarrierOperand{{kBarrierByte}, {1}});
  program.op(Opcode::kSyncsArriveBytes, BarrierOperand{{kBarrierByte}, {expected}});
  only(1);
  program.op(Opcode::kClusterArrive).op(Opcode::kClusterWait);
  program.op(Opcode::kUblkcpSS,
             isa::TileOperand{.shared = {kFrom},
                              .barrier = {kBarrierByte},
                              .row = isa::RowOperand{isa::kNoIndex, to, {bytes}}});
  only(0);
  program.op(Opcode::kSyncsTryWait, BarrierOperand{{kBarrierByte}, {0}});
  only(1);
  return program.op(Opcode::kClusterArrive).op(Opcode::kClusterWait);
}

Result run_puts(int size, bool all, int bytes, const config::Machine& machine = cluster_machine()) {
  return run({puts(size, all, bytes, bytes).launch(size, size)}, {}, machine);
}

Cycle cycles_of(int size, bool all, int bytes, const config::Machine& machine = cluster_machine()) {
  const Result result = run_puts(size, all, bytes, machine);
  EXPECT_EQ(result.outcome.stop, StopReason::kFinished) << result.outcome.diagnosis;
  return result.outcome.cycles;
}

TEST(ClusterPut, CompletesItsBytesInClustersOfTwoAndFour) {
  for (const int size : {2, 4}) {
    const Result one = run_puts(size, false, 8192 + 48);
    ASSERT_EQ(one.outcome.stop, StopReason::kFinished) << one.outcome.diagnosis;
    EXPECT_EQ(one.sum("shared_fill_bytes"), 8192U + 48);
    EXPECT_EQ(one.sum("l2_read_bytes"), run_puts(size, false, 16).sum("l2_read_bytes"));
    EXPECT_EQ(run_puts(size, true, 8192 + 48).sum("shared_fill_bytes"), size * (8192U + 48));
  }
}

TEST(ClusterPut, TakesTheLanesOfItsSmAndTheHop) {
  const Cycle before = cycles_of(2, false, 4096);
  EXPECT_EQ(cycles_of(2, false, 4096 + 512) - before, kCyclesOfPiece);
  EXPECT_EQ(cycles_of(4, false, 4096) - cycles_of(4, false, 2048), 4 * kCyclesOfPiece);
  config::Machine machine = cluster_machine();
  machine.sm.cluster.hop_cycles += 100;
  EXPECT_EQ(cycles_of(2, false, 4096, machine) - before, 100);
  machine = cluster_machine();
  machine.sm.tile_copy.start_cycles += 50;
  EXPECT_EQ(cycles_of(2, false, 4096, machine) - before, 50);
}

/// Each piece that comes is answered by a packet.
TEST(ClusterPut, OfAllCtasSharesTheLanesWithTheAnswers) {
  for (const int size : {2, 4}) {
    const Cycle difference = cycles_of(size, true, 32768) - cycles_of(size, true, 16384);
    const double bytes_per_cycle = 16384.0 / static_cast<double>(difference);
    EXPECT_NEAR(bytes_per_cycle, 16.0 / 17 * kPieceBytes / kCyclesOfPiece, 0.2) << size;
  }
}

TEST(ClusterPut, OfOtherBytesThanExpectedIsADeadlock) {
  const Result result = run({puts(2, false, 512, 528).launch(2, 2)}, {}, cluster_machine());
  EXPECT_EQ(result.outcome.stop, StopReason::kDeadlock);
  EXPECT_NE(result.outcome.diagnosis.find("16 bytes"), std::string::npos)
      << result.outcome.diagnosis;
}

/// A CTA that loads 4 KiB in a row; `ahead` asks the L2 for them before.
isa::KernelLaunch row_loads(bool ahead) {
  constexpr int kBytes = 4096;
  const isa::RowOperand row{0, {0}, {kBytes}};
  Program program;
  program.op(Opcode::kSyncsExch, BarrierOperand{{kBarrierByte}, {1}});
  if (ahead) program.op(Opcode::kUblkpf, isa::TileOperand{.row = row});
  for (int i = 0; i < 200; ++i) program.op(Opcode::kNop, 15);
  program.op(Opcode::kSyncsArriveBytes, BarrierOperand{{kBarrierByte}, {kBytes}});
  program.op(Opcode::kUblkcpSG,
             isa::TileOperand{.shared = {kFrom}, .barrier = {kBarrierByte}, .row = row});
  return program.op(Opcode::kSyncsTryWait, BarrierOperand{{kBarrierByte}, {0}}).launch(1, 1);
}

TEST(RowPrefetch, BringsItsLinesIntoTheL2Alone) {
  const Result cold = run({row_loads(false)}, {}, cluster_machine());
  const Result warmed = run({row_loads(true)}, {}, cluster_machine());
  ASSERT_EQ(warmed.outcome.stop, StopReason::kFinished) << warmed.outcome.diagnosis;
  EXPECT_LT(warmed.outcome.cycles + 100, cold.outcome.cycles);
  EXPECT_EQ(warmed.sum("dram_read_bytes"), cold.sum("dram_read_bytes"));
  EXPECT_EQ(warmed.sum("l2_read_bytes"), cold.sum("l2_read_bytes"));
  EXPECT_EQ(warmed.sum("shared_fill_bytes"), 4096U);
}

}  // namespace
}  // namespace tcsim::gpu::test
