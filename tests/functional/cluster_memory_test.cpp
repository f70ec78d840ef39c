// Loads, stores and atomics in the shared memory of other CTAs of a cluster.

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>

#include "models/functional/execute.hpp"
#include "tests/functional/races.hpp"
#include "tests/functional/small_launch.hpp"

namespace tcsim::functional::testing {
namespace {

using isa::Opcode;
using isa::Variable;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kIn = 0;      // word of the CTA and lane in the first half of the buffer
constexpr int kOwn = 1;     // shared byte 4 * lane
constexpr int kOther = 2;   // the same of the other CTA of the cluster
constexpr int kOut = 3;     // word of the CTA and lane in the second half of the buffer
constexpr int kFirst = 4;   // shared byte 0 of rank 0
constexpr int kSpread = 5;  // shared byte 4 * lane of rank 0 for even lanes, of rank 1 for odd ones
constexpr int kSpread64 = 6;
constexpr int kSpread128 = 7;

constexpr std::int64_t kRank1 = isa::cluster_address(1, 0);

isa::Address spread(std::int64_t bytes) {
  return {{0, {{Variable::kLane, bytes}, {Variable::kLane, kRank1, 1, 2}}}};
}

/// Two CTAs of one warp that run `instructions`.
isa::KernelLaunch two_ctas(std::vector<isa::Instruction> instructions) {
  const isa::Term other{Variable::kCtaX, kRank1, 1, 2, 1};
  isa::WarpProgram program{.instructions = std::move(instructions)};
  program.accesses = {
      {.buffer = 0, .global = {{0, {{Variable::kLane, 4}, {Variable::kCtaX, 128}}}}},
      {.shared = {{0, {{Variable::kLane, 4}}}}},
      {.shared = {{0, {{Variable::kLane, 4}, other}}}},
      {.buffer = 0, .global = {{512, {{Variable::kLane, 4}, {Variable::kCtaX, 128}}}}},
      {.shared = {{0, {}}}},
      {.shared = spread(4)},
      {.shared = spread(8)},
      {.shared = spread(16)}};
  program.guards = {{{{{0, {{Variable::kCtaX, 1}}}, 1}}},    // of rank 0
                    {{{{0, {{Variable::kCtaX, -1}}}, 0}}}};  // of rank 1
  isa::KernelLaunch launch = small_launch(1, program);
  launch.grid = {2, 1, 1};
  launch.cluster = {2, 1, 1};
  return launch;
}

std::vector<isa::Instruction> joined(std::initializer_list<std::vector<isa::Instruction>> parts) {
  std::vector<isa::Instruction> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<isa::Instruction> meet() {
  return {plain(Opcode::kClusterArrive), plain(Opcode::kClusterWait)};
}

struct ClusterRun {
  std::vector<std::uint32_t> words;
  std::vector<Race> races;
  std::string refusal;
};

/// Word i of the buffer starts as i.
ClusterRun run_cluster(const isa::KernelLaunch& launch) {
  GlobalMemory memory(launch);
  const auto bytes = memory.buffers_of(launch)->front();
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::iota(words.begin(), words.end(), 0);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  const auto result = execute(launch, numerics::Generation::kHopper, memory);
  if (!result.has_value()) return {.words = {}, .races = {}, .refusal = result.refusal().reason};
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return {.words = words, .races = result.value().races, .refusal = {}};
}

/// Each CTA writes its row, here or there, and reads the other's.
std::vector<isa::Instruction> exchange(Opcode store, int stored, Opcode load, int loaded,
                                       bool in_order = true) {
  return joined({{memory(Opcode::kLdg32, kIn), memory(store, stored)},
                 in_order ? meet() : std::vector<isa::Instruction>{},
                 {memory(load, loaded), memory(Opcode::kStg32, kOut)},
                 meet()});
}

TEST(ClusterMemory, HoldsWhatTheOtherCtaStoresAndLoads) {
  for (const auto& program : {exchange(Opcode::kSts32, kOwn, Opcode::kLd32, kOther),
                              exchange(Opcode::kSt32, kOther, Opcode::kLds32, kOwn)}) {
    const ClusterRun done = run_cluster(two_ctas(program));
    ASSERT_EQ(done.refusal, "");
    EXPECT_THAT(done.races, IsEmpty());
    for (std::uint32_t word = 0; word < 64; ++word)
      EXPECT_EQ(done.words[128 + word], word ^ 32U) << word;
  }
}

TEST(ClusterMemory, IsReachedByAnyLaneAtAnyRankInEveryWidth) {
  for (const auto& [store, load, access] :
       {std::tuple{Opcode::kSt32, Opcode::kLd32, kSpread},
        std::tuple{Opcode::kSt64, Opcode::kLd64, kSpread64},
        std::tuple{Opcode::kSt128, Opcode::kLd128, kSpread128}}) {
    isa::Instruction put = memory(store, access, 0);
    const ClusterRun done =
        run_cluster(two_ctas(joined({{memory(Opcode::kLdg32, kIn), put},
                                     meet(),
                                     {memory(load, access), memory(Opcode::kStg32, kOut)},
                                     meet()})));
    ASSERT_EQ(done.refusal, "");
    EXPECT_THAT(done.races, IsEmpty());
    for (std::uint32_t word = 0; word < 64; ++word)
      EXPECT_EQ(done.words[128 + word], word % 32) << word;
  }
}

TEST(ClusterMemory, AddsWhatAtomicsOfAllCtasAdd) {
  isa::Instruction one{.opcode = Opcode::kMov, .dst = 4, .immediate = 1, .has_immediate = true};
  isa::Instruction zero{.opcode = Opcode::kMov, .dst = 0, .immediate = 0, .has_immediate = true};
  isa::Instruction add = memory(Opcode::kAtomAdd, kFirst);
  add.src[1] = 4;
  const auto program = [&](bool waits) {
    return joined({{one, zero, memory(Opcode::kSts32, kOwn)},
                   meet(),
                   {add, add},
                   waits ? meet() : std::vector<isa::Instruction>{},
                   {memory(Opcode::kLd32, kFirst), memory(Opcode::kStg32, kOut)},
                   meet()});
  };
  const ClusterRun done = run_cluster(two_ctas(program(true)));
  ASSERT_EQ(done.refusal, "");
  EXPECT_THAT(done.races, IsEmpty());
  EXPECT_THAT(std::vector(done.words.begin() + 128, done.words.begin() + 192), Each(128U));
  EXPECT_TRUE(has_race(run_cluster(two_ctas(program(false))).races, RaceKind::kReadAfterWrite));
}

TEST(ClusterMemory, RacesWhereNothingOrdersTheCtas) {
  const ClusterRun load =
      run_cluster(two_ctas(exchange(Opcode::kSts32, kOwn, Opcode::kLd32, kOther, false)));
  ASSERT_EQ(load.refusal, "");
  EXPECT_TRUE(has_race(load.races, RaceKind::kReadAfterWrite) ||
              has_race(load.races, RaceKind::kWriteAfterRead));
  const ClusterRun store =
      run_cluster(two_ctas(exchange(Opcode::kSt32, kOther, Opcode::kLds32, kOwn, false)));
  EXPECT_TRUE(has_race(store.races, RaceKind::kReadAfterWrite) ||
              has_race(store.races, RaceKind::kWriteAfterRead));
  const ClusterRun both = run_cluster(two_ctas(joined(
      {{memory(Opcode::kSt32, kSpread, 0), memory(Opcode::kSt32, kSpread, 1)}, meet(), meet()})));
  EXPECT_TRUE(has_race(both.races, RaceKind::kWriteAfterWrite));
}

TEST(ClusterMemory, IsGoneWithItsCta) {
  // CTA 0 runs first: it reads, and nothing tells CTA 1 that it has before that ends.
  const std::vector<isa::Instruction> read{memory(Opcode::kLd32, kOther, 0)};
  const ClusterRun early = run_cluster(two_ctas(read));
  ASSERT_EQ(early.refusal, "");
  ASSERT_TRUE(has_race(early.races, RaceKind::kAccessBehindEnd));
  EXPECT_THAT(to_string(early.races.front()), HasSubstr("warp 1 at 0x0010 ends the CTA"));
  EXPECT_THAT(run_cluster(two_ctas(joined({read, meet()}))).races, IsEmpty());
  const ClusterRun late = run_cluster(two_ctas({memory(Opcode::kLd32, kOther, 1)}));
  EXPECT_THAT(late.refusal, HasSubstr("reaches the shared memory of the CTA of rank 0, which has "
                                      "ended"));
}

TEST(ClusterMemory, RefusesWhatLiesOutsideTheClusterOrTheSharedMemory) {
  const auto refusal = [](std::int64_t rank, std::int64_t byte) {
    isa::KernelLaunch launch = two_ctas(joined({{memory(Opcode::kLd32, kFirst)}, meet()}));
    isa::MemoryAccess& access = launch.programs[0].accesses[kFirst];
    access.shared.offset.constant = isa::cluster_address(rank, byte);
    access = decided_late(access);
    return run_cluster(launch).refusal;
  };
  EXPECT_EQ(refusal(1, 1020), "");
  EXPECT_THAT(refusal(2, 0), HasSubstr("(LD.E): names rank 2 of a cluster of 2 CTAs"));
  EXPECT_THAT(refusal(-1, 0), HasSubstr("names rank -1 of a cluster of 2 CTAs"));
  EXPECT_THAT(refusal(1, 1024), HasSubstr("at shared offset 1024, outside its 1024 bytes"));
  EXPECT_THAT(refusal(1, 2), HasSubstr("which is not a multiple"));
}

}  // namespace
}  // namespace tcsim::functional::testing
