#include <gtest/gtest.h>

#include "models/sm/load_store/tag_stage.hpp"
#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

constexpr Cycle kHit = 33;

ProgramBuilder load_chain(std::initializer_list<Expression> offsets,
                          Opcode opcode = Opcode::kLdg32) {
  ProgramBuilder program;
  bool first = true;
  for (const Expression& offset : offsets) {
    auto load = program.global(opcode, offset);
    load.dst(4).src(2).writes(0);
    if (!first) load.waits(0);
    first = false;
  }
  program.op(Opcode::kExit).waits(0);
  return program;
}

TEST(TagStage, LooksUpAlignedNeighboursInOneCycle) {
  L1Params params = ampere_sm().l1;
  params.lines_per_lookup = 2;
  TagStage tags(params);
  EXPECT_EQ(tags.free_at(), 0);
  tags.start(10);
  EXPECT_EQ(tags.look_up(0), 10);
  EXPECT_EQ(tags.look_up(128), 10);
  EXPECT_EQ(tags.look_up(256), 11);
  EXPECT_EQ(tags.look_up(640), 12) << "the second of its pair, alone";
  EXPECT_EQ(tags.last(), 12);
  EXPECT_EQ(tags.free_at(), 13);
  tags.start(13);
  EXPECT_EQ(tags.look_up(640), 13) << "another instruction looks up anew";
}

TEST(L1, AMissAddsTheWayToMemoryToTheHitLatency) {
  EXPECT_EQ(end_of(load_chain({per_lane(4)})), kMemoryLatency + kHit);
}

TEST(L1, AHitAfterTheFillTakesTheHitLatency) {
  EXPECT_EQ(end_of(load_chain({per_lane(4), per_lane(4)})), kMemoryLatency + kHit + kHit);
}

TEST(L1, RequestsLeaveHalfOfTheHitLatencyAfterTheIssue) {
  SmBench bench(single_warp(load_chain({per_lane(4)})));
  bench.start_cta(0);
  bench.finish();
  ASSERT_EQ(bench.requests().size(), 1u);
  const memory::LineRequest& request = bench.requests()[0];
  EXPECT_EQ(request.cycle, kHit / 2);
  EXPECT_EQ(request.address, kBuffer);
  EXPECT_EQ(request.sectors, 0b1111);
  EXPECT_EQ(request.access, memory::LineAccess::kRead);
}

TEST(L1, WideHitsAddReturnCycles) {
  const Expression same = per_lane(0);  // one line, so that tags cost one cycle
  const auto hit = [&](Opcode opcode) {
    return end_of(load_chain({same, same}, opcode)) - end_of(load_chain({same}, opcode));
  };
  EXPECT_EQ(hit(Opcode::kLdg32), kHit);
  EXPECT_EQ(hit(Opcode::kLdg64), kHit + 2);   // HUE25: +2
  EXPECT_EQ(hit(Opcode::kLdg128), kHit + 6);  // +6
}

TEST(L1, EachLineTakesATagCycle) {
  const auto hit = [](int lines) {
    const Expression spread{0, {{Variable::kLane, 128, 1, static_cast<std::uint32_t>(lines)}}};
    return end_of(load_chain({spread, spread})) - end_of(load_chain({spread}));
  };
  EXPECT_EQ(hit(1), kHit);
  EXPECT_EQ(hit(2), kHit + 1);
  EXPECT_EQ(hit(32), kHit + 31);
}

TEST(L1, AlignedNeighboursShareATagCycle) {
  SmParams params = ampere_sm();
  params.l1.lines_per_lookup = 4;
  // One lane per line, so that no bank of the data is asked twice.
  const auto hit = [&](int lines, int first) {
    const Expression spread{128 * first,
                            {{Variable::kLane, 132, 1, static_cast<std::uint32_t>(lines)}}};
    return end_of(load_chain({spread, spread}), params) - end_of(load_chain({spread}), params);
  };
  EXPECT_EQ(hit(4, 0), kHit);
  EXPECT_EQ(hit(4, 1), kHit + 1);
  EXPECT_EQ(hit(8, 0), kHit + 1);
  EXPECT_EQ(hit(32, 0), kHit + 7);
}

TEST(L1, OnlyTheMissingSectorsAreFetched) {
  // Lanes 0 to 7 touch sector 0; then the whole line.
  SmBench bench(single_warp(load_chain({{0, {{Variable::kLane, 4, 1, 8}}}, per_lane(4)})));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 2 * (kMemoryLatency + kHit));
  ASSERT_EQ(bench.requests().size(), 2u);
  EXPECT_EQ(bench.requests()[0].sectors, 0b0001);
  EXPECT_EQ(bench.requests()[1].sectors, 0b1110);
  EXPECT_EQ(bench.counter("memory_pipeline.l1_misses"), 4u);
  EXPECT_EQ(bench.counter("memory_pipeline.l1_hits"), 1u);
}

TEST(L1, LoadsOfSectorsUnderWayWaitForThem) {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2).writes(0);
  program.global(Opcode::kLdg32, per_lane(4)).dst(5).src(2).writes(1);
  program.op(Opcode::kExit).waits(0).waits(1);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(),
            kMemoryLatency + kHit + 2);  // one request; the return path takes two cycles for each
  EXPECT_EQ(bench.requests().size(), 1u);
  EXPECT_EQ(bench.counter("memory_pipeline.l1_misses"), 8u);
}

TEST(L1, MoreLoadsThanALineMergesAskForThemselves) {
  SmParams params = ampere_sm();
  params.l1.miss_merges = 2;
  ProgramBuilder program;
  for (int i = 0; i < 4; ++i) program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2).writes(0);
  program.op(Opcode::kExit).waits(0);
  SmBench bench(single_warp(program), params);
  bench.start_cta(0);
  bench.finish();
  EXPECT_EQ(bench.requests().size(), 3u);  // one for two loads, two past the cache
  EXPECT_EQ(bench.counter("memory_pipeline.l1_bypassed"), 8u);
  EXPECT_EQ(bench.counter("memory_pipeline.l1_misses"), 16u) << "those past the cache, too";
}

/// Cycles at which requests leave when loads of different lines issue without waiting and `entries`
/// may be out.
std::vector<Cycle> departures(int loads, int entries) {
  SmParams params = ampere_sm();
  params.l1.miss_entries = entries;
  ProgramBuilder program;
  for (int i = 0; i < loads; ++i)
    program.global(Opcode::kLdg32, per_lane(4, 128 * i)).dst(4).src(2).writes(0);
  program.op(Opcode::kExit).waits(0);
  SmBench bench(single_warp(program), params);
  bench.start_cta(0);
  EXPECT_GT(bench.finish(), 0);
  std::vector<Cycle> cycles;
  for (const memory::LineRequest& request : bench.requests()) cycles.push_back(request.cycle);
  return cycles;
}

TEST(L1, MissEntriesBoundTheLinesUnderWay) {
  EXPECT_EQ(departures(4, 4), (std::vector<Cycle>{16, 20, 24, 28}));
  // The third waits until the first is back at 216; 12 cycles lie between the pipeline's entry and
  // the way out.
  EXPECT_EQ(departures(4, 2), (std::vector<Cycle>{16, 20, 216 + 12, 220 + 12}));
}

TEST(L1, ALoadOfMoreLinesThanMissEntriesStillGoes) {
  SmParams params = ampere_sm();
  params.l1.miss_entries = 4;
  SmBench bench(single_warp(load_chain({per_lane(128)})), params);
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), kMemoryLatency + kHit + 31);
}

TEST(L1, StoresWriteThroughWithTheirSectors) {
  ProgramBuilder program;
  const int twelve = program.guard(per_lane(1), 12);
  program.global(Opcode::kStg32, per_lane(4)).src(2, 4).guard(twelve);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  bench.finish();
  ASSERT_EQ(bench.requests().size(), 1u);
  EXPECT_EQ(bench.requests()[0].access, memory::LineAccess::kWrite);
  EXPECT_EQ(bench.requests()[0].cycle, 16);
  EXPECT_EQ(bench.requests()[0].sectors, 0b0011);
  EXPECT_EQ(bench.requests()[0].partial, 0b0010);  // 16 of the 32 bytes of sector 1
  EXPECT_EQ(bench.counter("memory_pipeline.global_write_bytes"), 64u);
}

TEST(L1, StoresTakeNoMissEntry) {
  SmParams params = ampere_sm();
  params.l1.miss_entries = 1;
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2).writes(0);
  program.global(Opcode::kStg32, per_lane(4, 4096)).src(2, 4);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program), params);
  bench.start_cta(0);
  bench.finish();
  ASSERT_EQ(bench.requests().size(), 2u);
  EXPECT_EQ(bench.requests()[1].cycle, 16 + 4);
}

TEST(L1, StoresInvalidateTheSectorsTheyWrite) {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2).writes(0);
  const int eight = program.guard(per_lane(1), 8);
  program.global(Opcode::kStg32, per_lane(4)).src(2, 4).waits(0).guard(eight);
  program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2).writes(0);
  program.op(Opcode::kExit).waits(0);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  bench.finish();
  ASSERT_EQ(bench.requests().size(), 3u);
  EXPECT_EQ(bench.requests()[2].access, memory::LineAccess::kRead);
  EXPECT_EQ(bench.requests()[2].sectors, 0b0001);
}

TEST(L1, WithoutDataBytesEveryLoadGoesPast) {
  L1Cache cache("lru", 0);
  cache.configure(0, 128, 4);
  EXPECT_EQ(cache.find(0), L1Cache::kNoLine);
  EXPECT_EQ(cache.allocate(0), L1Cache::kNoLine);
}

TEST(L1Cache, ReplacesTheLeastRecentlyUsedLineThatIsNotUnderWay) {
  L1Cache cache("lru", 0);
  cache.configure(4 * 128, 128, 4);  // one set
  for (std::uint64_t i = 0; i < 4; ++i) cache.allocate(i * 128);
  cache.use(cache.find(0));
  cache.line(cache.find(128)).pending = 1;
  const int replaced = cache.allocate(4 * 128);  // line 1 is the oldest but under way, 2 is next
  EXPECT_EQ(cache.address(replaced), 4u * 128);
  EXPECT_EQ(cache.find(2 * 128), L1Cache::kNoLine);
  EXPECT_NE(cache.find(0), L1Cache::kNoLine);
  EXPECT_NE(cache.find(128), L1Cache::kNoLine);
  EXPECT_NE(cache.find(3 * 128), L1Cache::kNoLine);
}

TEST(L1Cache, GivesNoLineWhenAllAreUnderWay) {
  L1Cache cache("lru", 0);
  cache.configure(2 * 128, 128, 2);
  for (std::uint64_t i = 0; i < 2; ++i) cache.line(cache.allocate(i * 128)).pending = 1;
  EXPECT_EQ(cache.allocate(2 * 128), L1Cache::kNoLine);
}

TEST(L1Cache, HoldsAllLinesOfItsSizeInASequence) {
  L1Cache cache("lru", 0);
  constexpr std::uint64_t kLines = 96 * 1024 / 128;
  cache.configure(96 * 1024, 128, 32);
  for (std::uint64_t i = 0; i < kLines; ++i) cache.allocate(i * 128);
  std::uint64_t held = 0;
  for (std::uint64_t i = 0; i < kLines; ++i)
    held += cache.find(i * 128) != L1Cache::kNoLine ? 1 : 0;
  EXPECT_EQ(held, kLines);
}

}  // namespace
}  // namespace tcsim::sm::test
