// Paths of which every step is known by construction.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/timeline/path_recorder.hpp"
#include "sim/timeline/perfetto.hpp"
#include "tests/sm/sm_bench.hpp"

namespace tcsim::timeline::test {
namespace {

using sm::test::SmBench;
using tcsim::test::make_launch;
using tcsim::test::Opcode;
using tcsim::test::per_lane;
using tcsim::test::ProgramBuilder;

/// Of `ctas` CTAs of `launch` on one Ampere SM that holds one at a time. Checks that the steps are
/// without gaps and add up to the time.
KernelPath path_of(const isa::KernelLaunch& launch, int ctas = 1,
                   const sm::SmParams& params = tcsim::test::ampere_sm()) {
  PathRecorder recorder({0});
  sm::Observer* const listener = recorder.observer(0, 0);
  SmBench bench(launch, params);
  bench.attach(*listener);
  listener->launched(1, 0);
  for (int cta = 0; cta < ctas; ++cta) {
    bench.start_cta(cta, cta == 0 ? 0 : bench.now() + 20);
    bench.finish();
  }
  const Cycle end = bench.sm().ended_ctas().back();
  KernelPath path = recorder.take({{0, end, 0}}).front();
  EXPECT_TRUE(path.complete);
  Cycle at = 0;
  for (const PathStep& step : path.steps) {
    EXPECT_EQ(step.from, at);
    EXPECT_GT(step.until, step.from);
    at = step.until;
  }
  EXPECT_EQ(at, end);
  return path;
}

Cycle cycles_of(const KernelPath& path, PathCause cause) {
  Cycle sum = 0;
  for (const PathStep& step : path.steps)
    if (step.cause == cause) sum += step.cycles();
  return sum;
}

TEST(CriticalPath, OfAChainIsItsLatencies) {
  constexpr int kCount = 50;
  constexpr Cycle kLatency = 4;
  ProgramBuilder program;
  for (int i = 0; i < kCount; ++i) program.op(Opcode::kFfma).dst(8).src(4, 5, 8).stall(kLatency);
  program.op(Opcode::kExit);
  const KernelPath path = path_of(make_launch({program.program()}, {0}));
  EXPECT_EQ(std::ranges::count_if(path.steps,
                                  [](const PathStep& step) {
                                    return step.cause == PathCause::kDependence &&
                                           step.cycles() == kLatency;
                                  }),
            kCount);
  EXPECT_EQ(cycles_of(path, PathCause::kDependence), kCount * kLatency);
  const std::vector<PathShare> units = shares_by_unit(path);
  EXPECT_EQ(units.front().name, "FMA");
  EXPECT_EQ(units.front().cycles, kCount * kLatency);
}

TEST(CriticalPath, OfAChaseIsTheMemorySide) {
  constexpr int kCount = 20;
  ProgramBuilder program;
  for (int i = 0; i < kCount; ++i)
    program.global(Opcode::kLdgStrong32, per_lane(4)).dst(4).src(2).waits(0).writes(0).stall(2);
  program.op(Opcode::kExit).waits(0);
  const KernelPath path = path_of(make_launch({program.program()}, {0}));
  int loads = 0;
  for (const PathStep& step : path.steps) {
    if (step.cause != PathCause::kMemorySide) continue;
    ++loads;
    EXPECT_GE(step.cycles(), sm::test::kMemoryLatency);
    EXPECT_EQ(step.instruction, loads - 1);
  }
  EXPECT_EQ(loads, kCount);
}

/// Two copies of four lines, and room for the misses of one. Lines leave at 16 to 19, so the last
/// answer, which makes room for the second copy, comes at 19 + kMemoryLatency; its data have the
/// path for one more cycle.
TEST(CriticalPath, OfACopyThatFindsNoMissEntriesIsTheWaitForThem) {
  sm::SmParams params = tcsim::test::ampere_sm();
  params.l1.miss_entries = 4;
  ProgramBuilder program;
  for (int i = 0; i < 2; ++i)
    program.global(Opcode::kLdgsts128, per_lane(16, 512 * i), per_lane(16)).src(2, 4);
  program.op(Opcode::kExit);
  const KernelPath path = path_of(make_launch({program.program()}, {0}), 1, params);
  EXPECT_EQ(cycles_of(path, PathCause::kMissEntries), 19 + sm::test::kMemoryLatency - 1);
  EXPECT_EQ(cycles_of(path, PathCause::kDataPath), 1);
}

/// Four lines of a copy arrive at 216, in the cycle in which the pipeline would take the LDS.
TEST(CriticalPath, OfALoadBehindDataThatArriveIsTheirTimeOnThePath) {
  sm::SmParams params = tcsim::test::ampere_sm();
  params.l1.lines_per_lookup = 4;
  ProgramBuilder program;
  program.global(Opcode::kLdgsts128, per_lane(16), per_lane(16)).src(2, 4);
  for (int i = 0; i < 14; ++i) program.op(Opcode::kNop).stall(15);
  program.op(Opcode::kNop);
  program.shared(Opcode::kLds32, per_lane(4)).dst(4).src(2).writes(0);  // issues at 212
  program.op(Opcode::kExit).waits(0);
  const KernelPath path = path_of(make_launch({program.program()}, {0}), 1, params);
  EXPECT_EQ(cycles_of(path, PathCause::kMemoryQueue), 4);
  EXPECT_EQ(cycles_of(path, PathCause::kDataPath), 4);
}

TEST(CriticalPath, LeadsThroughTheLastWarpToComeToABarrier) {
  constexpr int kCount = 40;
  constexpr int kSlowWarp = 2;
  ProgramBuilder slow;
  for (int i = 0; i < kCount; ++i) slow.op(Opcode::kFfma).dst(8).src(4, 5, 8).stall(4);
  slow.op(Opcode::kBarSync);
  slow.op(Opcode::kExit);
  ProgramBuilder fast;
  fast.op(Opcode::kBarSync);
  for (int i = 0; i < kCount; ++i) fast.op(Opcode::kFfma).dst(8).src(4, 5, 8).stall(4);
  fast.op(Opcode::kExit);
  const KernelPath path = path_of(make_launch({slow.program(), fast.program()}, {1, 1, 0, 1}));
  const auto barrier = std::ranges::find(path.steps, PathCause::kBarrier, &PathStep::cause);
  ASSERT_NE(barrier, path.steps.end());
  EXPECT_EQ(barrier->warp, kSlowWarp);
  EXPECT_EQ(path.text_of(*barrier).substr(0, 3), "BAR");
  for (auto step = path.steps.begin(); step != path.steps.end(); ++step) {
    if (step->cause != PathCause::kDependence) continue;
    EXPECT_EQ(step->program, step < barrier ? 0 : 1);  // before: the slow warp; behind: another
  }
  EXPECT_GE(cycles_of(path, PathCause::kDependence), 2 * 4 * kCount);
}

TEST(CriticalPath, OfABusyPipeIsItsIntervals) {
  constexpr int kCount = 30;
  ProgramBuilder program;
  for (int i = 0; i < kCount; ++i)
    program.op(Opcode::kHmma16816F32)
        .dst(static_cast<isa::Register>(40 + 4 * i))
        .src(32, 36, 8)
        .stall(1);
  program.op(Opcode::kExit).stall(1);
  const isa::KernelLaunch launch = make_launch({program.program()}, std::vector<int>(16, 0));
  const KernelPath path = path_of(launch);
  // 4 warps a sub-core, 8 cycles an HMMA.16816: all but the first wait for the one before.
  EXPECT_GE(cycles_of(path, PathCause::kPipe), 8 * (4 * kCount - 4));
  EXPECT_EQ(shares_by_unit(path).front().name, "tensor core");
}

TEST(CriticalPath, OfASecondCtaGoesOnInTheFirst) {
  ProgramBuilder program;
  program.op(Opcode::kFfma).dst(8).src(4, 5, 8).stall(4);
  program.op(Opcode::kExit);
  const KernelPath path = path_of(make_launch({program.program()}, {0}), 2);
  EXPECT_EQ(cycles_of(path, PathCause::kDispatch), 20);
  EXPECT_EQ(path.steps.front().cta, 0);
  EXPECT_EQ(path.steps.back().cta, 1);
}

/// Hears reads as SmBench answers them, a fifth of the latency each part.
TEST(CriticalPath, DividesTheWayOfARead) {
  constexpr Cycle kPart = sm::test::kMemoryLatency / 5;
  ProgramBuilder program;
  program.global(Opcode::kLdgStrong32, per_lane(4)).dst(4).src(2).writes(0).stall(2);
  program.op(Opcode::kExit).waits(0);
  PathRecorder recorder({0});
  sm::Observer* const listener = recorder.observer(0, 0);
  SmBench bench(make_launch({program.program()}, {0}));
  bench.memory_latency = [&](const memory::LineRequest& request) {
    const Cycle at = request.cycle;
    recorder.reads().sent(0, request.tag, at, at + kPart);
    recorder.reads().looked_up(0, request.tag, at + 2 * kPart);
    recorder.reads().found(0, request.tag, at + 3 * kPart, at + 4 * kPart);
    return sm::test::kMemoryLatency;
  };
  bench.attach(*listener);
  listener->launched(1, 0);
  bench.start_cta(0);
  bench.finish();
  const Cycle end = bench.sm().ended_ctas().back();
  const KernelPath path = recorder.take({{0, end, 0}}).front();
  EXPECT_EQ(cycles_of(path, PathCause::kNetwork), 2 * kPart);
  EXPECT_EQ(cycles_of(path, PathCause::kL2Queue), kPart);
  EXPECT_EQ(cycles_of(path, PathCause::kL2Miss), kPart);
  EXPECT_EQ(cycles_of(path, PathCause::kL2), kPart);
  EXPECT_EQ(cycles_of(path, PathCause::kMemorySide), 0);
}

TEST(CriticalPath, MarksTheTimelineOfItsWindow) {
  ProgramBuilder program;
  for (int i = 0; i < 10; ++i) program.op(Opcode::kFfma).dst(8).src(4, 5, 8).stall(4);
  program.op(Opcode::kExit);
  const KernelPath path = path_of(make_launch({program.program()}, {0}));
  Timeline timeline{"chain", "ampere", {.first = 10, .end = 20}, 4, {}};
  timeline.path = marks_in(timeline.window, {path});
  ASSERT_FALSE(timeline.path.empty());
  for (const Timeline::Mark& mark : timeline.path) {
    EXPECT_GT(mark.until, 10);
    EXPECT_LT(mark.from, 20);
  }
  EXPECT_NE(perfetto_json(timeline).find("dependence: FMA"), std::string::npos);
}

KernelPath path_of_loop(int trips) {
  ProgramBuilder program;
  const int loop = program.begin_loop(0, {trips, {}});
  for (int i = 0; i < 3; ++i) program.op(Opcode::kFfma).dst(8).src(4, 5, 8).stall(4);
  program.end_loop(loop).stall(1);
  program.op(Opcode::kExit);
  return path_of(make_launch({program.program()}, {0}));
}

TEST(CriticalPath, TakesTheTripInTheMiddle) {
  for (const int trips : {5, 6, 7, 8}) {
    const PathIteration iteration = steady_iteration(path_of_loop(trips));
    ASSERT_GE(iteration.trips, 3);
    EXPECT_EQ(iteration.trip, iteration.trips / 2) << trips;
  }
}

TEST(CriticalPath, KnowsATripInSteadyState) {
  constexpr int kTrips = 30;
  const KernelPath path = path_of_loop(kTrips);
  const PathIteration iteration = steady_iteration(path);
  ASSERT_GE(iteration.trips, kTrips - 2);
  Cycle cycles = 0;
  for (std::size_t i = iteration.first; i < iteration.end; ++i) cycles += path.steps[i].cycles();
  EXPECT_EQ(cycles * iteration.trips, iteration.cycles_of_run);
  EXPECT_GE(cycles, 3 * 4);
}

}  // namespace
}  // namespace tcsim::timeline::test
