#include "sim/sweep/slurm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.hpp"
#include "tests/sweep/sweep_samples.hpp"

namespace tcsim::sweep {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Slurm, TasksHoldEnoughWorkAndAreNoMoreThanPoints) {
  EXPECT_EQ(array_for(600, 24, 60).tasks, 10);
  EXPECT_EQ(array_for(6000, 24, 60).tasks, 24);
  EXPECT_EQ(array_for(1, 24, 60).tasks, 1);
}

TEST(Slurm, ScriptsCallTheProgramOfTheFolder) {
  const test::TemporaryDirectory home;
  const Folder folder = Folder::prepare(home.path() / "s", plan_of(small_spec_text()));
  const std::string program = (home.path() / "s" / folder.plan().program).string();
  EXPECT_THAT(array_script(folder, {"-j", "2"}),
              HasSubstr(program + " sweep work " + (home.path() / "s").string() +
                        " -j 2 --shard \"$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT\""));
  EXPECT_THAT(collect_script(folder), HasSubstr(program + " sweep collect "));
  EXPECT_THAT(array_command(folder, {4, 2}, {"--partition=x"}), Contains("--array=0-3%2"));
  EXPECT_THAT(array_command(folder, {4, 0}, {}), Contains("--requeue"));
  EXPECT_THAT(array_command(folder, {4, 0, 1}, {}),
              testing::Not(Contains(testing::AnyOf(HasSubstr("--cpus"), HasSubstr("--mem")))));
  EXPECT_THAT(collect_command(folder, "17", {}), Contains("--dependency=afterany:17"));
  EXPECT_EQ(work_lines(folder, 3, {}).size(), 3U);
}

TEST(Slurm, TasksAskForTheProcessorsAndTheMemoryOfTheirPoints) {
  const test::TemporaryDirectory home;
  const Folder folder = Folder::prepare(home.path() / "s",
                                        plan_of(small_spec_text() + "limits: {memory_mib: 500}\n"));
  EXPECT_THAT(array_command(folder, {4, 0, 3}, {"--mem=0"}),
              testing::IsSupersetOf({"--cpus-per-task=3", "--mem=1500M", "--mem=0"}));
}

}  // namespace
}  // namespace tcsim::sweep
