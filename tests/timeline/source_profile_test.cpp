#include "sim/timeline/source_profile.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "sim/timeline/recorder.hpp"
#include "tests/sm/sm_bench.hpp"
#include "tests/timeline/recorded_programs.hpp"

namespace tcsim::timeline::test {
namespace {

InstructionTexts texts_of(const isa::KernelLaunch& launch) {
  InstructionTexts texts;
  for (const isa::WarpProgram& program : launch.programs) {
    texts.emplace_back();
    for (const isa::Instruction& instruction : program.instructions)
      texts.back().push_back(instruction_text(instruction));
  }
  return texts;
}

/// What `launch` counts at the instructions whose text starts with `opcode`.
SourceLine counted(const isa::KernelLaunch& launch, const std::string& opcode) {
  SourceProfile profile(texts_of);
  sm::test::SmBench bench(launch, sm_with_products());
  bench.attach(*profile.observer(0));
  bench.start_cta(0);
  bench.finish();
  SourceLine sum;
  for (const SourceKernel& kernel : profile.take()) {
    for (const SourceLine& line : kernel.lines) {
      if (!line.text.starts_with(opcode)) continue;
      for (std::size_t i = 0; i < kStallCount; ++i) sum.stalls[i] += line.stalls[i];
    }
  }
  return sum;
}

std::uint64_t stalled(const SourceLine& line, Stall stall) {
  return line.stalls[static_cast<std::size_t>(stall)];
}

TEST(SourceProfile, WaitsForTheWarpgroupsOwnProductsAreGmma) {
  EXPECT_EQ(stall_name(Stall::kGmma), "gmma");
  const SourceLine wait = counted(group_products(4, 1, 4), "WARPGROUP.DEPBAR");
  // Four warps, a product of 65 cycles and 40 until its sums are written.
  EXPECT_NEAR(static_cast<double>(stalled(wait, Stall::kGmma)), 4 * (65 + 40), 4 * 2);
  EXPECT_EQ(stalled(wait, Stall::kMathPipeThrottle), 0U);
}

TEST(SourceProfile, WaitsForThePipeOrTheQueueAreNot) {
  const SourceLine products = counted(group_products(8, 4, 8), "HGMMA");
  EXPECT_GT(stalled(products, Stall::kMathPipeThrottle), 0U);
  EXPECT_EQ(stalled(products, Stall::kGmma), 0U);
  const SourceLine multiplied = counted(hmma_loop(8, 20), "HMMA");
  EXPECT_GT(stalled(multiplied, Stall::kMathPipeThrottle), 0U);
  EXPECT_EQ(stalled(multiplied, Stall::kGmma), 0U);
}

}  // namespace
}  // namespace tcsim::timeline::test
