#include "models/sm/cluster_barrier.hpp"

#include <gtest/gtest.h>

namespace tcsim::sm::test {
namespace {

TEST(ClusterBarrier, TheCtaArrivesWithItsLastWarp) {
  ClusterBarrier barrier;
  EXPECT_FALSE(barrier.complete_arrival(2)) << "nobody has arrived";
  barrier.arrive();
  EXPECT_FALSE(barrier.complete_arrival(2));
  barrier.arrive();
  EXPECT_TRUE(barrier.complete_arrival(2));
  EXPECT_FALSE(barrier.complete_arrival(2)) << "once";
  EXPECT_EQ(barrier.arrivals(), 1);
}

TEST(ClusterBarrier, AnExitCompletesTheArrivalOfTheOthers) {
  ClusterBarrier barrier;
  barrier.arrive();
  barrier.exit(0);  // a warp that never arrived
  EXPECT_TRUE(barrier.complete_arrival(1));
  barrier.arrive();
  barrier.exit(2);  // the one that has just arrived again
  EXPECT_FALSE(barrier.complete_arrival(0)) << "nobody is left";
}

TEST(ClusterBarrier, OpensWhenAllCtasHaveComeOrEnded) {
  ClusterBarrier barrier;
  barrier.cta_came();
  barrier.cta_left(0);
  EXPECT_FALSE(barrier.open_if_complete(3));
  barrier.cta_came();
  EXPECT_TRUE(barrier.open_if_complete(3));
  EXPECT_EQ(barrier.phase(), 1);
  EXPECT_FALSE(barrier.open_if_complete(3)) << "two come to the next time";
  barrier.cta_came();
  barrier.cta_came();
  EXPECT_TRUE(barrier.open_if_complete(3));
}

TEST(ClusterBarrier, ACtaThatEndsBehindItsArrivalIsMissedFromTheNextTimeOn) {
  ClusterBarrier barrier;
  barrier.cta_came();
  barrier.cta_left(1);
  EXPECT_FALSE(barrier.open_if_complete(2)) << "counted once";
  barrier.cta_came();
  EXPECT_TRUE(barrier.open_if_complete(2));
  barrier.cta_came();
  EXPECT_TRUE(barrier.open_if_complete(2));
  EXPECT_EQ(barrier.phase(), 2);
}

}  // namespace
}  // namespace tcsim::sm::test
