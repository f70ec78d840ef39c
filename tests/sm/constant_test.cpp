#include <gtest/gtest.h>

#include "models/sm/constant_cache.hpp"
#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

constexpr Cycle kMiss = 79;
constexpr Cycle kConstantWayOut = 39;  // of a read of L2, half of the instruction L1's latency

SmParams with_constants() {
  SmParams params = ampere_sm();
  params.instruction_fetch = {.l0_bytes = 1024,
                              .l0_ways = 2,
                              .prefetch_lines = 0,
                              .l1_bytes = 65536,
                              .l1_ways = 4,
                              .l1_hit_latency_cycles = 78,
                              .l1_interval_cycles = 2,
                              .line_bytes = 128,
                              .instructions_per_line = 8,
                              .buffer_entries = 3,
                              .at_launch = "kept",
                              .replacement = "lru"};
  params.constant_cache = {.l0_bytes = 512,
                           .l0_ways = 2,
                           .line_bytes = 64,
                           .miss_hold_cycles = 4,
                           .miss_latency_cycles = static_cast<int>(kMiss),
                           .fill_bytes = 128,
                           .load_bytes = 2048,
                           .load_ways = 4,
                           .load_latency_cycles = 42,
                           .replacement = "lru"};
  return params;
}

class Constants : public ::testing::Test {
 protected:
  const SmParams params_ = with_constants();
  stats::Group root_{"test"};
  InstructionFetch fetch_{params_, 0, root_};
  ConstantCache cache_{params_.constant_cache, params_.instruction_fetch, 0, 4, fetch_, root_};
};

TEST_F(Constants, AMissThatTheNextLevelHoldsCostsItsLatency) {
  cache_.begin_kernel(100);
  fetch_.install(100);
  EXPECT_EQ(cache_.operand(0, 0, 50), 50 + kMiss);
  EXPECT_EQ(cache_.operand(0, 60, 60), 50 + kMiss);  // the same line, on its way
  EXPECT_EQ(cache_.operand(0, 60, 500), 500);
  EXPECT_EQ(cache_.operand(1, 60, 600), 600 + kMiss);  // another sub-core
  EXPECT_EQ(cache_.operand(0, 64, 700), 700 + kMiss);  // another line
  EXPECT_EQ(cache_.load(0, 800), 800 + kMiss);         // another cache
}

TEST_F(Constants, AMissOfBothReadsTheL2) {
  cache_.begin_kernel(100);
  EXPECT_EQ(cache_.operand(0, 0, 50), kNever);
  EXPECT_EQ(cache_.load(64, 52), kNever);
  ASSERT_EQ(fetch_.requests().size(), 1u);  // both halves of one line of code memory
  EXPECT_EQ(fetch_.requests()[0].cycle, 50 + kConstantWayOut);
  EXPECT_EQ(fetch_.requests()[0].address, memory::kCodeMemory + 100 * 128);
  fetch_.receive(100, 400);
  cache_.receive(100, 400);
  EXPECT_EQ(cache_.operand(0, 0, 400), 400 + kMiss - kConstantWayOut);
  EXPECT_EQ(cache_.load(64, 400), 400 + kMiss - kConstantWayOut);
}

TEST_F(Constants, AMissOfBothFillsAPiece) {
  ConstantCacheParams params = params_.constant_cache;
  params.fill_bytes = 256;
  ConstantCache cache(params, params_.instruction_fetch, 0, 4, fetch_, root_);
  cache.begin_kernel(100);
  EXPECT_EQ(cache.operand(0, 128, 50), kNever);
  ASSERT_EQ(fetch_.requests().size(), 2u);
  EXPECT_EQ(fetch_.requests()[0].address, memory::kCodeMemory + 101 * 128);
  EXPECT_EQ(fetch_.requests()[1].address, memory::kCodeMemory + 100 * 128);
  fetch_.receive(100, 400);
  cache.receive(100, 400);
  EXPECT_EQ(cache.operand(0, 0, 500), 500 + kMiss);
}

TEST_F(Constants, EveryKernelHasItsOwn) {
  fetch_.install(100);
  fetch_.install(200);
  cache_.begin_kernel(100);
  cache_.operand(0, 0, 0);
  cache_.begin_kernel(200);
  EXPECT_EQ(cache_.operand(0, 0, 1000), 1000 + kMiss);
}

/// An SM whose instruction L1 holds the code and, which are the same lines here, the constants.
class WarmBench : public SmBench {
 public:
  explicit WarmBench(const isa::KernelLaunch& launch, const SmParams& params = with_constants())
      : SmBench(launch, params) {
    for (std::uint32_t line = 0; line < 8; ++line) sm().install_code(line);
  }
};

/// MOV of the constant at byte `constant`.
ProgramBuilder reader(int constant) {
  ProgramBuilder program;
  program.op(Opcode::kMov).dst(4).constant(constant);
  program.op(Opcode::kExit);
  return program;
}

TEST(ConstantOperands, HoldTheirWarpUntilTheyAreThere) {
  // Code comes at 78 into the L0; the constants, line 0 of code memory here as well, 79 later.
  WarmBench bench(single_warp(reader(0)));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 78 + kMiss + 1);
  EXPECT_EQ(bench.reason("constant"), static_cast<std::uint64_t>(78 + kMiss));  // it lifted last
  EXPECT_EQ(bench.counter("constant_cache.constant_l0_misses"), 1u);
}

TEST(ConstantOperands, MissByExactlyTheLatency) {
  const auto end = [](int latency) {
    SmParams params = with_constants();
    params.constant_cache.miss_latency_cycles = latency;
    WarmBench bench(single_warp(reader(0)), params);
    bench.start_cta(0);
    return bench.finish();
  };
  EXPECT_EQ(end(80) - end(79), 1);
  EXPECT_EQ(end(158) - end(79), 79);
}

TEST(ConstantOperands, AHitCostsNothing) {
  ProgramBuilder program;
  program.op(Opcode::kMov).dst(4).constant(0);
  program.op(Opcode::kMov).dst(5).constant(4).stall(2);
  program.op(Opcode::kExit);
  WarmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 78 + kMiss + 2 + 2);  // the pipe takes the second one 2 later
}

TEST(ConstantOperands, AColdUseReadsTheL2) {
  WarmBench warm(single_warp(reader(0)));
  warm.start_cta(0);
  WarmBench cold(single_warp(reader(4096)));
  cold.memory_latency = [](const memory::LineRequest&) { return Cycle{200}; };
  cold.start_cta(0);
  EXPECT_EQ(cold.finish() - warm.finish(), 200);
  ASSERT_EQ(cold.requests().size(), 1u);
  EXPECT_EQ(cold.requests()[0].address, memory::kCodeMemory + 4096);
}

TEST(ConstantOperands, AMissHoldsTheSchedulerForAWhile) {
  // Warps 0 and 4 share sub-core 0. The second one misses at once; the first would issue every
  // cycle meanwhile and ends later.
  const auto end = [](int hold) {
    SmParams params = with_constants();
    params.constant_cache.miss_hold_cycles = hold;
    ProgramBuilder other("other");
    const int loop = other.begin_loop(0, {100, {}});
    other.op(Opcode::kNop);
    other.end_loop(loop);
    other.op(Opcode::kExit);
    const isa::KernelLaunch launch =
        make_launch({reader(0).program(), other.program(), exit_only()}, {1, 2, 2, 2, 0});
    WarmBench bench(launch, params);
    bench.start_cta(0);
    return bench.finish();
  };
  for (const int hold : {4, 7, 20, 40}) EXPECT_EQ(end(hold + 1) - end(hold), 1) << hold;
}

TEST(ConstantOperands, OfWarpsThatShareASetComeToEachOfThem) {
  // Four warps of sub-core 0, whose lines are of one set of two ways.
  std::vector<isa::WarpProgram> programs;
  std::vector<int> of_warps;
  for (int i = 0; i < 4; ++i) {
    ProgramBuilder program("of " + std::to_string(i));
    const int loop = program.begin_loop(0, {10, {}});
    program.op(Opcode::kMov).dst(4).constant(256 * i).stall(4);
    program.op(Opcode::kMov).dst(5).constant(256 * i + 4).stall(4);
    program.end_loop(loop);
    program.op(Opcode::kExit);
    programs.push_back(program.program());
    of_warps.insert(of_warps.end(), 4, i);
  }
  const isa::KernelLaunch launch = make_launch(programs, of_warps);
  for (const bool is_warm : {true, false}) {
    SmBench cold(launch, with_constants());
    WarmBench warm(launch);
    SmBench& bench = is_warm ? warm : cold;
    bench.start_cta(0);
    EXPECT_GT(bench.finish(), 0) << is_warm;
  }
}

TEST(ConstantLoads, OfMoreLinesThanTheirCacheHoldsComeAllTheSame) {
  SmParams params = with_constants();
  params.constant_cache.load_bytes = 64;
  params.constant_cache.load_ways = 1;
  params.instruction_fetch.l1_bytes = 128;
  params.instruction_fetch.l1_ways = 1;
  ProgramBuilder program;
  program.constant_load(Opcode::kLdc32, per_lane(256)).dst(4).src(2).writes(0).stall(2);
  program.op(Opcode::kExit).waits(0);
  SmBench bench(single_warp(program), params);
  bench.start_cta(0);
  EXPECT_GT(bench.finish(), 0);
}

TEST(ConstantLoads, TakeTheirLatencyOnAHitAndTheMissOnTop) {
  ProgramBuilder program;
  for (int i = 0; i < 2; ++i)
    program.constant_load(Opcode::kLdc32, {}).dst(4).src(2).waits(0).writes(0).stall(2);
  program.op(Opcode::kExit).waits(0);
  WarmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 78 + kMiss + 42 + 42);
  EXPECT_EQ(bench.counter("constant_cache.constant_load_misses"), 1u);
}

TEST(ConstantLoads, GiveOneWordPerCycle) {
  const auto end = [](const Expression& offset) {
    ProgramBuilder program;
    program.constant_load(Opcode::kLdc32, offset).dst(4).src(2).writes(0).stall(2);
    program.op(Opcode::kExit).waits(0);
    return end_of(program);  // constants always there
  };
  EXPECT_EQ(end({}), 42);
  EXPECT_EQ(end(per_lane(4)), 42 + 31);
}

}  // namespace
}  // namespace tcsim::sm::test
