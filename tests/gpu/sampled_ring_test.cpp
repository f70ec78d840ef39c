// Sampled runs of kernels whose warps have roles: loops inside loops, data handed on by mbarriers.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/library/load.hpp"
#include "tests/gpu/result.hpp"
#include "tests/gpu/sampled_kernel.hpp"

namespace tcsim::gpu::test {
namespace {

const config::Machine& small_hopper() {
  static const config::Machine machine =
      library::read_machine("h100", {"gpu.sms=4", "gpu.sms_per_gpc=[2, 2]"}).machine;
  return machine;
}

/// Trips take unequal times, as stages come and go by fits and starts.
constexpr double kAskedOfRings = 0.05;

struct Ring {
  const char* name;
  int cluster;      ///< CTAs
  const char* box;  ///< UTMALDG with its operands but for the ranks
  const char* ranks;
};

/// A producer fills a ring of four stages of 8 KiB with boxes, four consumers multiply and free
/// them; three times 400 of them, with stores between.
std::vector<isa::KernelLaunch> ring(const Ring& kind) {
  constexpr int kStages = 4;
  constexpr int kConsumers = 4;
  const std::string stage = "((400*i0 + i1)%4)";
  const std::string full = "mbar[8*" + stage + "]";
  const std::string empty = "mbar[8*" + stage + " + 32]";
  std::string init;
  for (int i = 0; i < kStages; ++i)
    init += fmt::format("  SYNCS.EXCH.64 mbar[{}], 1\n  SYNCS.EXCH.64 mbar[{}], {}\n", 8 * i,
                        8 * (kStages + i), kConsumers * kind.cluster);
  const std::string meet = kind.cluster > 1 ? "  UCGABAR_ARV\n  UCGABAR_WAIT\n" : "  BAR.SYNC 0\n";
  const std::string free =
      "      SYNCS.ARRIVE.TRANS64.A1T0 " + empty + "\n" +
      (kind.cluster > 1 ? "      SYNCS.ARRIVE.TRANS64.RED.A1T0 " + empty + ", rank[(ctaid.x+1)%2]\n"
                        : "");
  const std::string place = kind.cluster > 1 ? "4096*(ctaid.x%2) + " : "";
  const std::string text =
      "tct 1\nkernel ring\ngrid 4 1 1\n" +
      (kind.cluster > 1 ? fmt::format("cluster {} 1 1\n", kind.cluster) : "") +
      "warps 8\nregisters 128\nshared 70000\n"
      "buffer A input base=0x7f0000000000 bytes=1048576\n"
      "buffer D output base=0x7f0002000000 bytes=65536\n"
      "tensormap A buffer=A element=2 extents=512,1024,1 strides=1024,1048576 box=64," +
      std::to_string(64 / kind.cluster) +
      ",1 swizzle=128\n\n"
      "program producer warps 0\n" +
      init + meet +
      "  loop i0 < 3\n    loop i1 < 400\n"
      "      SYNCS.PHASECHK.TRANS64.TRYWAIT " +
      empty + ", -(400*i0 + i1)/4%2 + 1\n      SYNCS.ARRIVE.TRANS64 " + full + ", 8192\n      " +
      kind.box + " A[64*(i1%8), 64*(i1%4) + 256*(ctaid.x%4), 0] -> smem[" + place + "8192*" +
      stage + " + 1024], " + full + kind.ranks +
      "\n    end\n  end\n  EXIT\n\n"
      "program idle warps 1-3\n" +
      meet + "  EXIT\n\nprogram consumer warps 4-7\n" + meet +
      "  loop i0 < 3\n    loop i1 < 400\n      SYNCS.PHASECHK.TRANS64.TRYWAIT " + full +
      ", (400*i0 + i1)/4%2\n"
      "      HMMA.16816.F32 R16, R8, R12, R16\n      HMMA.16816.F32 R20, R8, R12, R20\n"
      "      WARPGROUP.ARRIVE\n      HGMMA.64x8x16.F32 R24, gdesc[1024, lead=16, stride=1024, "
      "swizzle=128], gdesc[1024, lead=16, stride=1024, swizzle=128], R24 imm=1\n"
      "      WARPGROUP.DEPBAR.LE 0\n" +
      free +
      "    end\n    STG.E [R4: D + 4*lane + 128*warp + 2048*ctaid.x + 8192*i0], R16\n  end\n  "
      "EXIT\n";
  return {assembled(text, small_hopper())};
}

class SampledRing : public ::testing::TestWithParam<Ring> {};

TEST_P(SampledRing, LeavesTripsOfEveryRoleOut) {
  const auto launches = ring(GetParam());
  const Result exact = run(launches, {}, small_hopper());
  ASSERT_EQ(exact.outcome.stop, StopReason::kFinished) << exact.outcome.diagnosis;
  const Result told = run(launches, {.sampling = SamplingOptions{kAskedOfRings}}, small_hopper());
  ASSERT_EQ(told.outcome.stop, StopReason::kFinished) << told.outcome.diagnosis;
  EXPECT_GT(told.outcome.sampling.gaps, 0);
  EXPECT_NEAR(static_cast<double>(told.outcome.cycles), static_cast<double>(exact.outcome.cycles),
              told.outcome.sampling.half_width_cycles);
  EXPECT_EQ(told.sum("warp_instructions"), exact.sum("warp_instructions"));
  EXPECT_EQ(told.sum("mma_instructions"), exact.sum("mma_instructions"));
  const auto bytes = static_cast<double>(exact.sum("l2_read_bytes"));
  EXPECT_NEAR(static_cast<double>(told.sum("l2_read_bytes")), bytes, 0.02 * bytes);
}

INSTANTIATE_TEST_SUITE_P(Rings, SampledRing,
                         ::testing::Values(Ring{"OfOneCta", 1, "UTMALDG.3D", ""},
                                           Ring{"OfTwoCtas", 2, "UTMALDG.3D.MULTICAST",
                                                ", ranks[3]"}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace tcsim::gpu::test
