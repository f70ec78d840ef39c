#include "workloads/trace/instruction_counts.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "sim/errors/errors.hpp"
#include "tests/support/refusal.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::trace {
namespace {

isa::KernelLaunch launch(const std::string& programs) {
  return read_tct(
      "tct 1\nkernel k\ngrid 3 2 1\nwarps 2\nregisters 32\nshared 4096\n"
      "buffer A input base=0 bytes=4096\n" +
          programs,
      "k.tct");
}

TEST(InstructionCounts, MultiplyTheTripsOfNestedLoops) {
  const auto kernel = launch(
      "program main warps 0-1\nloop i0 < 5\nFADD R1, R2, R3\nloop i1 < 7\nFMUL R1, R2, R3\n"
      "end\nend\nEXIT\n");
  const InstructionCounts warp = count_of_warp(kernel, 0, {});
  EXPECT_EQ(warp.of(isa::Opcode::kFadd), 5);
  EXPECT_EQ(warp.of(isa::Opcode::kFmul), 35);
  EXPECT_EQ(warp.of(isa::Opcode::kBra), 40);
  EXPECT_EQ(warp.of(isa::Opcode::kExit), 1);
  EXPECT_EQ(warp.total(), 81);
  EXPECT_EQ(count_of_grid(kernel).total(), 81 * 12);
}

TEST(InstructionCounts, StayAtAMostWhereLoopsRunForEver) {
  const auto kernel = launch(
      "program main warps 0-1\nloop i0 < 2147483647\nloop i1 < 2147483647\nloop i2 < 4\n"
      "LDG.E.128 R8, [R4: A + 16*lane] {wr=0}\nend\nend\nend\nEXIT\n");
  const InstructionCounts grid = count_of_grid(kernel);
  EXPECT_GT(grid.total(), std::int64_t{1} << 56);
  EXPECT_GE(requested_bytes(grid).global_read, grid.of(isa::Opcode::kLdg128));
}

TEST(InstructionCounts, FollowTripsThatDependOnCtaAndWarp) {
  const auto kernel = launch(
      "program main warps 0-1\nloop i0 < ctaid.x + 10*ctaid.y + 100*warp + 1\nFADD R1, R2, "
      "R3\nend\n"
      "EXIT\n");
  std::int64_t expected = 0;
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 2; ++y) {
      for (int warp = 0; warp < 2; ++warp) expected += x + 10 * y + 100 * warp + 1;
    }
  }
  EXPECT_EQ(count_of_grid(kernel).of(isa::Opcode::kFadd), expected);
}

TEST(InstructionCounts, LeapOverCtasOfTheSameTrips) {
  isa::KernelLaunch kernel = launch(
      "program main warps 0-1\nloop i0 < (ctaid.x + warp max 1 min 5)/1\nFADD R1, R2, R3\nend\n"
      "loop i0 < 3 - (ctaid.x min 2)/1\nFMUL R1, R2, R3\nend\nEXIT\n");
  const auto expected = [&](std::int64_t ctas) {
    std::int64_t adds = 0;
    std::int64_t products = 0;
    for (std::int64_t x = 0; x < ctas; ++x) {
      for (int warp = 0; warp < 2; ++warp) adds += 2 * std::clamp<std::int64_t>(x + warp, 1, 5);
      products += 2 * 2 * (3 - std::min<std::int64_t>(x, 2));
    }
    return std::pair(adds, products);
  };
  for (const std::int64_t ctas : {1, 2, 7, 100}) {
    kernel.grid[0] = ctas;
    const InstructionCounts grid = count_of_grid(kernel);
    EXPECT_EQ(std::pair(grid.of(isa::Opcode::kFadd), grid.of(isa::Opcode::kFmul)), expected(ctas));
  }
  kernel.grid[0] = 2147483647;
  const std::int64_t adds = count_of_grid(kernel).of(isa::Opcode::kFadd);
  EXPECT_EQ(adds, expected(6).first + 2 * 2 * 5 * (kernel.grid[0] - 6));
}

TEST(InstructionCounts, FollowTripsThatTheOutermostLoopChanges) {
  const auto kernel = launch(
      "program main warps 0-1\nuniform u0 = ctaid.x + 1\nuniform u1 = u0 + i0\n"
      "loop i0 < u0\nFADD R1, R2, R3\nloop i1 < u1\nFMUL R1, R2, R3\nend\nend\nEXIT\n");
  // CTAs 0 to 2 along x run the outer loop 1, 2 and 3 times, the inner one 1; 2 + 3; 3 + 4 + 5.
  const InstructionCounts grid = count_of_grid(kernel);
  EXPECT_EQ(grid.of(isa::Opcode::kFadd), 2 * 2 * (1 + 2 + 3));
  EXPECT_EQ(grid.of(isa::Opcode::kFmul), 2 * 2 * (1 + 5 + 12));
  EXPECT_EQ(grid.of(isa::Opcode::kExit), 12);
}

TEST(InstructionCounts, OfCtasThatShareUniformsAddUpToThoseOfEach) {
  isa::KernelLaunch kernel = launch(
      "program main warps 0-1\nuniform u0 = ctaid.x%5\nuniform u1 = u0 + 2*ctaid.y + i0\n"
      "loop i0 < u0 + 2\nFADD R1, R2, R3\nloop i1 < u1 + 3*warp + 1\nFMUL R1, R2, R3\nend\nend\n"
      "EXIT\n");
  kernel.grid = {100, 2, 1};
  InstructionCounts each;
  for (std::int64_t x = 0; x < 100; ++x)
    for (const std::int64_t y : {0, 1})
      for (const std::int64_t warp : {0, 1}) {
        isa::Bindings bindings{};
        bindings[static_cast<std::size_t>(isa::Variable::kCtaX)] = x;
        bindings[static_cast<std::size_t>(isa::Variable::kCtaY)] = y;
        bindings[static_cast<std::size_t>(isa::Variable::kWarp)] = warp;
        const InstructionCounts one = count_of_warp(kernel, 0, bindings);
        for (std::size_t i = 0; i < each.executed.size(); ++i) each.executed[i] += one.executed[i];
      }
  EXPECT_EQ(count_of_grid(kernel).executed, each.executed);
}

TEST(InstructionCounts, CountManyCtasThatShareUniformsAtOnce) {
  isa::KernelLaunch kernel = launch(
      "program main warps 0-1\nuniform u0 = ctaid.x%8\nloop i0 < 1000*u0 + 1000\n"
      "FADD R1, R2, R3\nend\nEXIT\n");
  kernel.grid = {1 << 20, 1, 1};
  EXPECT_EQ(count_of_grid(kernel).of(isa::Opcode::kFadd),
            2 * (std::int64_t{1} << 17) * 1000 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8));
}

TEST(InstructionCounts, LookAtNothingThatChangesNoCount) {
  isa::KernelLaunch idle = launch("program main warps 0-1\nuniform u0 = ctaid.x\nEXIT\n");
  idle.grid = {2147483647, 65535, 1};
  EXPECT_EQ(count_of_grid(idle).of(isa::Opcode::kExit), 2 * idle.grid[0] * idle.grid[1]);
  const isa::KernelLaunch loops = launch(
      "program main warps 0-1\nuniform u0 = ctaid.x + i0\nloop i0 < 2000000000\n"
      "FADD R1, R2, R3\nend\nEXIT\n");
  EXPECT_EQ(count_of_grid(loops).of(isa::Opcode::kFadd), 12 * std::int64_t{2000000000});
  isa::KernelLaunch leaps = launch(
      "program main warps 0-1\nuniform u0 = ctaid.x\nloop i0 < (ctaid.x max 1 min 2)/1\n"
      "FADD R1, R2, R3\nend\nEXIT\n");
  leaps.grid = {2147483647, 1, 1};
  EXPECT_EQ(count_of_grid(leaps).of(isa::Opcode::kFadd), 2 * (2 * leaps.grid[0] - 2));
}

TEST(InstructionCounts, AreRefusedIfTheyWouldTakeHours) {
  isa::KernelLaunch kernel = launch(
      "program main warps 0-1\nloop i0 < ctaid.y + ctaid.z + 1\nFADD R1, R2, R3\nend\nEXIT\n");
  kernel.grid = {1, 65535, 65535};
  EXPECT_EQ(test::refusal<NotCovered>([&] { (void)count_of_grid(kernel); }),
            "kernel k: its instructions cannot be counted: too many CTAs, iterations or copies "
            "differ from each other");
  const isa::KernelLaunch copies = launch(
      "program main warps 0-1\nloop i0 < 2000000000\n"
      "UBLKCP.S.G A[0, bytes=16*(i0%2) + 16] -> smem[0], mbar[2048]\nend\nEXIT\n");
  EXPECT_THROW((void)count_of_grid(copies), NotCovered);
}

TEST(InstructionCounts, AddUpDifferentProgramsOfACta) {
  const auto kernel = launch(
      "program one warps 0\nFADD R1, R2, R3\nEXIT\nprogram other warps 1\nFMUL R1, R2, R3\nFMUL "
      "R1, "
      "R2, R3\nEXIT\n");
  const InstructionCounts grid = count_of_grid(kernel);
  EXPECT_EQ(grid.of(isa::Opcode::kFadd), 6);
  EXPECT_EQ(grid.of(isa::Opcode::kFmul), 12);
  EXPECT_EQ(grid.of(isa::Opcode::kExit), 12);
}

TEST(InstructionCounts, KnowMmaWorkAndRequestedBytes) {
  const auto kernel = launch(
      "program main warps none\nEXIT\nprogram work warps 0-1\n"
      "HMMA.16816.F32 R0, R8, R12, R0\nLDGSTS.E.128 [A] -> smem[0]\nLDG.E.64 R4, [A]\n"
      "STG.E [A], R4\nLDSM.16.M88.4 R4, smem[0]\nSTS.64 smem[0], R4\nEXIT\n");
  const InstructionCounts warp = count_of_warp(kernel, 1, {});
  EXPECT_EQ(warp.mma(), 1);
  EXPECT_EQ(warp.mma_macs(), 2048);
  const RequestedBytes bytes = requested_bytes(warp);
  EXPECT_EQ(bytes.global_read, 32 * (16 + 8));
  EXPECT_EQ(bytes.global_written, 32 * 4);
  EXPECT_EQ(bytes.shared_read, 32 * 16);
  EXPECT_EQ(bytes.shared_written, 32 * (16 + 8));
}

TEST(InstructionCounts, KnowTheBytesOfBoxes) {
  const isa::KernelLaunch kernel = read_tct(
      "tct 1\nkernel k\ngrid 3 1 1\nwarps 1\nregisters 32\nshared 4096\n"
      "buffer A input base=0 bytes=65536\n"
      "tensormap tiles buffer=A element=2 extents=64,512 strides=128 box=64,8 swizzle=128\n"
      "tensormap sums buffer=A element=4 extents=32,512 strides=128 box=32,4 swizzle=128\n"
      "program main warps 0\n"
      "loop i0 < 5\n"
      "UTMALDG.2D tiles[0, 8*i0] -> smem[0], mbar[2048]\n"
      "end\n"
      "UTMASTG.2D smem[0] -> tiles[0, 0]\n"
      "UTMAREDG.2D.ADD smem[0] -> sums[0, 0]\n"
      "EXIT\n",
      "k.tct");
  const RequestedBytes bytes = requested_bytes(count_of_grid(kernel));
  constexpr std::int64_t kBox = 64 * 8 * 2;
  EXPECT_EQ(bytes.global_read, 3 * 5 * kBox);
  EXPECT_EQ(bytes.shared_written, 3 * 5 * kBox);
  constexpr std::int64_t kBoxOfSums = 32 * 4 * 4;
  EXPECT_EQ(bytes.global_written, 3 * (kBox + kBoxOfSums));
  EXPECT_EQ(bytes.shared_read, 3 * (kBox + kBoxOfSums));
}

TEST(InstructionCounts, KnowWhichWarpsAndCtasCopyBoxes) {
  const isa::KernelLaunch kernel = read_tct(
      "tct 1\nkernel k\ngrid 3 1 1\nwarps 4\nregisters 32\nshared 4096\n"
      "buffer A input base=0 bytes=65536\n"
      "tensormap tiles buffer=A element=2 extents=64,512 strides=128 box=64,8 swizzle=128\n"
      "program main warps 0-3\n"
      "UTMASTG.2D smem[0] -> tiles[0, 0] @(warp%4 < 1 && lane < 1)\n"
      "loop i0 < 5\n"
      "UTMALDG.2D tiles[0, 8*i0] -> smem[0], mbar[2048] @(warp + ctaid.x < 1 && 2 - i0 < 1)\n"
      "end\n"
      "EXIT\n",
      "k.tct");
  const RequestedBytes bytes = requested_bytes(count_of_grid(kernel));
  constexpr std::int64_t kBox = 64 * 8 * 2;
  EXPECT_EQ(bytes.global_written, 3 * kBox);
  EXPECT_EQ(bytes.global_read, 3 * kBox);
}

TEST(InstructionCounts, KnowTheBytesOfRowsWhoseLengthChanges) {
  const isa::KernelLaunch kernel = read_tct(
      "tct 1\nkernel k\ngrid 3 1 1\nwarps 1\nregisters 32\nshared 4096\n"
      "buffer A input base=0 bytes=65536\n"
      "program main warps 0\nuniform u0 = ctaid.x + i0\n"
      "loop i0 < 5\n"
      "loop i1 < 2\n"
      "UBLKCP.S.G A[0, bytes=1024 - 976*(i0/4) + 16*i1] -> smem[0], mbar[2048]\n"
      "end\n"
      "UBLKRED.G.S.ADD smem[0] -> A[0, bytes=16*u0 + 16]\n"
      "end\n"
      "UBLKCP.G.S smem[0] -> A[0, bytes=16*ctaid.x + 32]\n"
      "EXIT\n",
      "k.tct");
  const RequestedBytes bytes = requested_bytes(count_of_grid(kernel));
  EXPECT_EQ(bytes.global_read, 3 * (2 * (4 * 1024 + 48) + 5 * 16));
  EXPECT_EQ(bytes.shared_written, bytes.global_read);
  const int added = 16 * (3 * (0 + 1 + 2 + 3 + 4) + 5 * (0 + 1 + 2)) + 15 * 16;
  EXPECT_EQ(bytes.global_written, added + 3 * 32 + 16 * (0 + 1 + 2));
  EXPECT_EQ(bytes.shared_read, bytes.global_written);
}

TEST(InstructionCounts, CountPutsAsAccessesOfSharedMemoryAlone) {
  const isa::KernelLaunch kernel = read_tct(
      "tct 1\nkernel k\ngrid 2 1 1\ncluster 2 1 1\nwarps 1\nregisters 32\nshared 4096\n"
      "buffer A input base=0 bytes=65536\n"
      "program main warps 0\n"
      "UBLKCP.S.S smem[0] -> dsmem[16777216*((ctaid.x+1)%2), bytes=256], mbar[2048]\n"
      "UBLKPF A[0, bytes=4096]\n"
      "EXIT\n",
      "k.tct");
  const RequestedBytes bytes = requested_bytes(count_of_grid(kernel));
  EXPECT_EQ(bytes.global_read, 2 * 4096);
  EXPECT_EQ(bytes.global_written, 0);
  EXPECT_EQ(bytes.shared_read, 2 * 256);
  EXPECT_EQ(bytes.shared_written, 2 * 256);
}

}  // namespace
}  // namespace tcsim::trace
