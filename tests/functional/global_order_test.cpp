#include "models/functional/global_order.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <vector>

namespace tcsim::functional::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kData = 0;
constexpr FlagPlace kFlag{1, 0};
constexpr FlagPlace kOtherFlag{1, 4};

/// Clusters of two warps, which load and store words of buffer 0 and raise flags in buffer 1.
class GlobalOrders : public ::testing::Test {
 protected:
  GlobalOrders() : order_(launch()) {}

  void cluster(std::int64_t number) {
    warps_.emplace(2);
    order_.begin_cluster(number, *warps_);
    cluster_ = number;
  }
  void store(int warp = 0, std::int64_t offset = 0) {
    order_.store({warp, 1}, cluster_, kData, offset, 16);
  }
  void load(int warp = 0, std::int64_t offset = 0) {
    order_.load({warp, 2}, cluster_, kData, offset, 16);
  }
  void hand_over(const FlagPlace& flag, int warp = 0) {
    order_.fence(warp);
    order_.raise(warp, flag, 1);
  }
  [[nodiscard]] std::vector<RaceKind> kinds() const {
    std::vector<RaceKind> kinds;
    for (const Race& race : order_.races()) kinds.push_back(race.kind);
    return kinds;
  }

  GlobalOrder order_;

 private:
  static isa::KernelLaunch launch() {
    isa::WarpProgram program;
    program.instructions = {
        {.opcode = isa::Opcode::kLdg128, .access = 0},
        {.opcode = isa::Opcode::kStg128, .access = 0},
    };
    program.accesses = {{.buffer = kData}};
    isa::KernelLaunch launch;
    launch.buffers = {{.name = "data", .bytes = 64},
                      {.name = "flags", .base_address = 256, .bytes = 8, .flags = true}};
    launch.programs = {program};
    return launch;
  }

  std::optional<CausalOrder> warps_;
  std::int64_t cluster_ = 0;
};

TEST_F(GlobalOrders, AFenceAndAFlagLeadFromAStoreToALoad) {
  cluster(0);
  store();
  hand_over(kFlag);
  load();
  cluster(1);
  order_.acquire(0, kFlag, 1);
  load();
  store();
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(GlobalOrders, NothingElseDoes) {
  cluster(0);
  store();
  hand_over(kFlag);
  cluster(1);
  order_.acquire(0, kOtherFlag, 1);
  load();
  EXPECT_THAT(order_.races(),
              ElementsAre(Race{RaceKind::kGlobalBeforeFlag, 1, {0, 1}, {0, 2}, 0, 16}));
}

TEST_F(GlobalOrders, AStoreOverOneOfAnotherClusterIsALoadToo) {
  cluster(0);
  store();
  cluster(1);
  store();
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::kGlobalBeforeFlag));
}

TEST_F(GlobalOrders, AStoreBehindTheFenceIsNotThere) {
  cluster(0);
  order_.fence(0);
  store();
  order_.raise(0, kFlag, 1);
  cluster(1);
  order_.acquire(0, kFlag, 1);
  load();
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::kGlobalWithoutFence));
}

TEST_F(GlobalOrders, OtherWarpsHaveToMeetTheOneThatRaises) {
  for (const bool meets : {false, true}) {
    cluster(0);
    store(/*warp=*/1);
    if (meets) order_.meet(0, 2);
    hand_over(kFlag);
    cluster(1);
    order_.acquire(0, kFlag, 1);
    load();
    EXPECT_EQ(kinds().size(), 1U);
    order_.raise(0, kFlag, -1);
  }
}

TEST_F(GlobalOrders, OtherWarpsHaveToMeetTheOneThatWaits) {
  cluster(0);
  store();
  hand_over(kFlag);
  cluster(1);
  order_.acquire(0, kFlag, 1);
  order_.meet(0, 2);
  load(/*warp=*/1);
  EXPECT_THAT(kinds(), IsEmpty());
  cluster(2);
  order_.acquire(0, kFlag, 1);
  load(/*warp=*/1);
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::kGlobalBeforeFlag));
}

TEST_F(GlobalOrders, AWaitKnowsOfAsManyRaisesAsItWaitsFor) {
  cluster(0);
  store(0, 0);
  hand_over(kFlag);
  cluster(1);
  store(0, 16);
  hand_over(kFlag);
  cluster(2);
  order_.acquire(0, kFlag, 1);
  load(0, 0);
  EXPECT_THAT(kinds(), IsEmpty());
  load(0, 16);
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::kGlobalBeforeFlag));
  cluster(3);
  order_.acquire(0, kFlag, 2);
  load(0, 16);
  EXPECT_EQ(kinds().size(), 1U);
}

TEST_F(GlobalOrders, WhatARaiserHasWaitedForIsKnownToo) {
  cluster(0);
  store();
  hand_over(kFlag);
  cluster(1);
  order_.acquire(0, kFlag, 1);
  hand_over(kOtherFlag);
  cluster(2);
  order_.acquire(0, kOtherFlag, 1);
  load();
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(GlobalOrders, KnowledgeOfAClusterComesTogetherInALongChain) {
  constexpr int kClusters = 40;  // were each one's knowledge kept twice, there would be 2^40 parts
  cluster(0);
  store();
  hand_over(kFlag);
  for (int number = 1; number < kClusters; ++number) {
    cluster(number);
    order_.acquire(0, kFlag, number);
    load();
    hand_over(kFlag);
  }
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(GlobalOrders, AFlagThatWasTakenBackTellsNothing) {
  cluster(0);
  store();
  hand_over(kFlag);
  order_.raise(0, kFlag, -1);
  cluster(1);
  order_.acquire(0, kFlag, 1);
  load();
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::kGlobalBeforeFlag));
}

TEST(GlobalRaces, AreToldAsASentence) {
  EXPECT_EQ(to_string({RaceKind::kGlobalBeforeFlag, 3, {0, 7}, {2, 11}, 64, 16}),
            "CTA 3, global byte 64: warp 2 at 0x00b0 accesses what warp 0 at 0x0070 of another CTA "
            "stores without a wait for a flag that announces the store (16 bytes in all)");
}

}  // namespace
}  // namespace tcsim::functional::testing
