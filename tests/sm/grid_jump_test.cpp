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

TEST(CtasOfWave, AreWholePeriodsOfTheIterationCounts) {
  const auto kernel = [](const isa::Expression& trips) {
    ProgramBuilder program;
    const int loop = program.begin_loop(0, trips);
    program.op(Opcode::kFfma).dst(4).src(5, 6);
    program.end_loop(loop);
    program.op(Opcode::kExit);
    isa::KernelLaunch launch = single_warp(program);
    launch.grid = {3, 4, 10};
    return Kernel(launch, ampere_sm(), timing_table(ampere_sm()));
  };
  EXPECT_EQ(ctas_of_wave(kernel({8, {}}), 5), 5);
  const Kernel of_rows = kernel({8, {{Variable::kCtaX, 1}}});
  EXPECT_EQ(ctas_of_wave(of_rows, 5), 6);
  EXPECT_EQ(work_of_wave(of_rows, 6).instructions, 2 * (3 + 2 * (8 + 9 + 10)));
  EXPECT_EQ(ctas_of_wave(kernel({8, {{Variable::kCtaX, 1}, {Variable::kCtaY, 2}}}), 5), 12);
  EXPECT_EQ(ctas_of_wave(kernel({8, {{Variable::kCtaZ, 1}}}), 5), 120);
}

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
