#include "models/dispatch/sm_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tcsim::dispatch::test {
namespace {

using ::testing::ElementsAre;

TEST(SmOrder, HasOneSmOfEachTpcBeforeTheSecondOfAny) {
  // GPC 0: SMs 0 to 3, GPC 1: SMs 4 to 7.
  EXPECT_THAT(sm_order(2, {4, 4}), ElementsAre(0, 4, 2, 6, 1, 5, 3, 7));
}

TEST(SmOrder, GoesOnWithTheLargerGpcsWhereTheSmallerHaveNoMore) {
  EXPECT_THAT(sm_order(2, {2, 4}), ElementsAre(0, 2, 4, 1, 3, 5));
}

TEST(SmOrder, IsThatOfTheGpcsWithoutTpcs) {
  EXPECT_THAT(sm_order(1, {2, 3}), ElementsAre(0, 2, 1, 3, 4));
}

}  // namespace
}  // namespace tcsim::dispatch::test
