#include "sim/text/counted.hpp"

#include <gtest/gtest.h>

namespace tcsim::text {
namespace {

TEST(Counted, IsSingularForOneAlone) {
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1, "collective operation"), "1 collective operation");
  EXPECT_EQ(counted(2, "row"), "2 rows");
}

}  // namespace
}  // namespace tcsim::text
