#include "models/sm/grid_jump.hpp"

#include <gmock/gmock.h>

#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

using ::testing::ElementsAre;

/// Notes the address of every line that it hears of, from the buffer on.
AccessListener into(std::vector<std::uint64_t>& heard) {
  return [&heard](const std::vector<LineSectors>& lines) {
    for (const LineSectors& line : lines) heard.push_back(line.line - kBuffer);
  };
}

TEST(CtaAccesses, WriteWhatStoresAndAtomicsChange) {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2);
  program.global(Opcode::kStg32, per_lane(4, 1024)).src(2, 6);
  program.global(Opcode::kRedAdd, per_lane(4, 2048)).src(2, 6);
  program.global(Opcode::kAtomgAdd, per_lane(4, 4096)).dst(8).src(2, 6);
  program.op(Opcode::kExit);
  const Kernel kernel(single_warp(program), ampere_sm(), timing_table(ampere_sm()));
  std::vector<std::uint64_t> written;
  CtaAccesses(kernel, 0).write(into(written));
  EXPECT_THAT(written, ElementsAre(1024U, 2048U, 4096U));
}

/// A kernel of 3 x 4 x 10 CTAs with a loop, of which those whose number in a layer exceeds `last`
/// end at once.
Kernel kernel_of(const isa::Expression& trips, int last = 11) {
  ProgramBuilder program;
  const int is_beyond = program.guard({0, {{Variable::kCtaX, -1}, {Variable::kCtaY, -3}}}, -last);
  program.op(Opcode::kExit).guard(is_beyond);
  const int loop = program.begin_loop(0, trips);
  program.op(Opcode::kFfma).dst(4).src(5, 6);
  program.end_loop(loop);
  program.op(Opcode::kExit);
  isa::KernelLaunch launch = single_warp(program);
  launch.grid = {3, 4, 10};
  return Kernel(launch, ampere_sm(), timing_table(ampere_sm()));
}

TEST(Waves, AreWholePeriodsOfTheIterationCounts) {
  EXPECT_EQ(waves_of(kernel_of({8, {}}), 5).ctas, 5);
  const Kernel of_rows = kernel_of({8, {{Variable::kCtaX, 1}}});
  const Waves rows = waves_of(of_rows, 5);
  EXPECT_EQ(rows.ctas, 6);
  EXPECT_EQ(rows.end, 120);
  EXPECT_EQ(work_of_wave(of_rows, rows).instructions, 2 * (3 * 2 + 2 * (8 + 9 + 10)));
  EXPECT_EQ(waves_of(kernel_of({8, {{Variable::kCtaX, 1}, {Variable::kCtaY, 2}}}), 5).ctas, 12);
  EXPECT_EQ(waves_of(kernel_of({8, {{Variable::kCtaZ, 1}}}), 5).ctas, 120);
}

TEST(Waves, EndBeforeCtasThatEndEarly) { EXPECT_EQ(waves_of(kernel_of({8, {}}, 9), 5).end, 10); }

TEST(ReadAgain, KnowsTheTripsOfAWarpAtTheHeadOfItsLoop) {
  ProgramBuilder program;
  const int loop = program.begin_loop(0, {8, {}});
  program.global(Opcode::kLdg32, {0, {{Variable::kLane, 4}, {Variable::kLoop0, 128}}})
      .dst(8)
      .src(2);
  program.end_loop(loop).stall(10);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  bench.run_to(2);  // the branch has issued; its stall keeps the warp at the head
  EXPECT_EQ(bench.sm().most_trips_done(), 1);
  std::vector<std::uint64_t> read;
  bench.sm().read_again(0, into(read));
  EXPECT_THAT(read, ElementsAre(0U));
}

}  // namespace
}  // namespace tcsim::sm::test
