#include "sim/timeline/kanata.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/timeline/kanata_checker.hpp"
#include "tests/timeline/recorded_programs.hpp"

namespace tcsim::timeline::test {
namespace {

using ::testing::HasSubstr;

TEST(Kanata, FollowsTheRulesOfItsFormat) {
  EXPECT_EQ(kanata_mistake(kanata_text(recorded(hmma_loop(8, 20), 0, 1000))), "");
  EXPECT_EQ(kanata_mistake(kanata_text(recorded(hmma_loop(8, 20), 100, 164))), "");
  EXPECT_EQ(kanata_mistake(kanata_text(recorded(load_multiply_store(), 0, 1000))), "");
  EXPECT_EQ(kanata_mistake(kanata_text(recorded(load_multiply_store(), 90'000, 90'001))), "");
  EXPECT_EQ(kanata_mistake(kanata_text(recorded(group_products(8, 3, 8), 0, 1000))), "");
  EXPECT_EQ(kanata_mistake(kanata_text(stopped(group_products(8, 3, 8), 20, 1000))), "");
  EXPECT_EQ(kanata_mistake(kanata_text(stopped(dependent_hmmas(20), 110, 1000))), "");
}

TEST(Kanata, DrawsExecutionOfTensorCoresAndMemory) {
  const std::string text = kanata_text(recorded(load_multiply_store(), 0, 1000));
  EXPECT_THAT(text, HasSubstr("\t0\ttcX\n"));
  EXPECT_THAT(text, HasSubstr("\t0\tsmX\n"));
  EXPECT_THAT(text, HasSubstr("\t0\tgmX\n"));
  EXPECT_THAT(text, HasSubstr("\t1\tsmem\n"));   // the HMMA's wait for the load, on lane 1
  EXPECT_THAT(text, HasSubstr("W\t1\t0\t0\n"));  // an arrow from the load to the HMMA
}

TEST(Kanata, DrawsTheQueueOfTheTensorCores) {
  const std::string text = kanata_text(recorded(group_products(8, 3, 8), 0, 1000, 0));
  EXPECT_THAT(text, HasSubstr("\t0\tTq\n"));
  EXPECT_THAT(text, HasSubstr("\t0\ttcX\n"));
}

TEST(Kanata, EstimatesItsSize) {
  const Timeline timeline = recorded(hmma_loop(8, 20), 0, 1000);
  const auto bytes = static_cast<double>(kanata_text(timeline).size());
  EXPECT_NEAR(static_cast<double>(kanata_bytes(timeline)) / bytes, 1.0, 0.5);
}

TEST(KanataChecker, RefusesBrokenFiles) {
  const std::string start = "Kanata\t0004\nC=\t5\n";
  const std::string one = start + "I\t0\t0\t0\nS\t0\t0\taluX\n";
  EXPECT_EQ(kanata_mistake(one + "C\t1\nE\t0\t0\taluX\nR\t0\t0\t0\n"), "");
  EXPECT_THAT(kanata_mistake("Kanata\t0003\n"), HasSubstr("not Kanata 0004"));
  EXPECT_THAT(kanata_mistake("Kanata\t0004\nI\t0\t0\t0\n"), HasSubstr("no start cycle"));
  EXPECT_THAT(kanata_mistake(start + "I\t1\t0\t0\n"), HasSubstr("not numbered in order"));
  EXPECT_THAT(kanata_mistake(start + "C\t0\n"), HasSubstr("time does not go on"));
  EXPECT_THAT(kanata_mistake(one + "S\t0\t0\tWb\n"), HasSubstr("still holds a stage"));
  EXPECT_THAT(kanata_mistake(one + "E\t0\t0\tWb\n"), HasSubstr("was not started"));
  EXPECT_THAT(kanata_mistake(one + "R\t0\t0\t0\n"), HasSubstr("open stage"));
  EXPECT_THAT(kanata_mistake(one), HasSubstr("never retire"));
  EXPECT_THAT(kanata_mistake(one + "W\t0\t3\t0\n"), HasSubstr("unknown producer"));
  EXPECT_THAT(kanata_mistake(start + "Q\t1\n"), HasSubstr("unknown command"));
}

}  // namespace
}  // namespace tcsim::timeline::test
