#include "sim/sweep/work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "sim/errors/errors.hpp"
#include "sim/sweep/running.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/sweep/sweep_samples.hpp"

namespace tcsim::sweep {
namespace {

constexpr const char* kResult = R"(echo '{"time_us": 2.0}')";

WorkOptions by_shell() {
  WorkOptions options;
  options.program = "/bin/sh";
  return options;
}

WorkSummary work_on(const Folder& folder, const WorkOptions& options = by_shell()) {
  WorkEvents events;
  events.announce = [](const Point&, const PointRecord&, std::size_t, std::size_t) {};
  events.pending_signal = [] { return 0; };
  return work(folder, options, events);
}

PointRecord record_of(const Folder& folder, int number) {
  return folder.record(folder.plan().points[static_cast<std::size_t>(number)]);
}

TEST(Work, AFailureIsARowWithItsReasonAndTheRestGoesOn) {
  const test::TemporaryDirectory home;
  const Folder folder = shell_folder(home.path() / "s",
                                     {"echo no such tile >&2; exit 2", "kill -SEGV $$",
                                      "exec sleep 60", "echo bad_alloc >&2; exit 70", kResult},
                                     {0.5, 4000});
  const WorkSummary summary = work_on(folder);
  EXPECT_EQ(summary.finished, 1);
  EXPECT_EQ(summary.failed, 4);
  EXPECT_EQ(record_of(folder, 0).state, PointState::kFailed);
  EXPECT_EQ(record_of(folder, 0).failure.reason, "status 2: no such tile");
  EXPECT_EQ(record_of(folder, 1).state, PointState::kCrashed);
  EXPECT_EQ(record_of(folder, 1).failure.signal, 11);
  EXPECT_EQ(record_of(folder, 1).failure.reason, "ended by signal 11 (Segmentation fault)");
  EXPECT_EQ(record_of(folder, 2).state, PointState::kTimeLimit);
  EXPECT_EQ(record_of(folder, 3).state, PointState::kMemoryLimit);
  EXPECT_EQ(record_of(folder, 4).state, PointState::kDone);
}

TEST(Work, TheReasonIsTheFirstMistakeOfMany) {
  const test::TemporaryDirectory home;
  const Folder folder = shell_folder(
      home.path() / "s",
      {"i=1; while [ $i -le 30 ]; do echo mistake $i >&2; i=$((i+1)); done; exit 2", "exit 2"});
  work_on(folder);
  const Failure failure = record_of(folder, 0).failure;
  EXPECT_EQ(failure.reason, "status 2: mistake 1");
  EXPECT_EQ(failure.last_lines.size(), 20U);
  EXPECT_EQ(failure.last_lines.back(), "mistake 30");
  EXPECT_EQ(record_of(folder, 1).failure.reason, "status 2: no result");
}

TEST(Work, FailedAndCrashedPointsAreRunAgainOnlyWhenAsked) {
  const test::TemporaryDirectory home;
  const Folder folder = shell_folder(home.path() / "s", {"exit 2", "kill -SEGV $$", kResult});
  work_on(folder);
  EXPECT_TRUE(open_points(folder, {}).empty());
  WorkOptions failed;
  failed.retry_failed = true;
  ASSERT_EQ(open_points(folder, failed).size(), 1U);
  EXPECT_EQ(open_points(folder, failed)[0]->number, 1);
  WorkOptions crashed;
  crashed.retry_crashed = true;
  EXPECT_EQ(open_points(folder, crashed)[0]->number, 2);
}

TEST(Work, ShardsTakeEachPointOnce) {
  const test::TemporaryDirectory home;
  const Folder folder =
      shell_folder(home.path() / "s", {kResult, kResult, kResult, kResult, kResult});
  std::vector<int> numbers;
  for (int shard = 0; shard < 3; ++shard) {
    WorkOptions options;
    options.shard = shard;
    options.shards = 3;
    for (const Point* point : open_points(folder, options)) numbers.push_back(point->number);
  }
  EXPECT_THAT(numbers, testing::UnorderedElementsAre(1, 2, 3, 4, 5));
}

TEST(Work, ShardsDivideWhatWasOpenAtTheSubmission) {
  const test::TemporaryDirectory home;
  const Folder folder = shell_folder(
      home.path() / "s", {kResult, kResult, kResult, kResult, kResult, kResult, kResult});
  for (const int done : {0, 1, 3, 4})
    folder.store_result(folder.plan().points[static_cast<std::size_t>(done)], result_of(1));
  folder.store_submission(open_points(folder, {}));
  WorkOptions options;
  options.shards = 3;
  for (const int number : {3, 6, 7}) {
    const auto ours = open_points(folder, options);
    ASSERT_EQ(ours.size(), 1U);
    EXPECT_EQ(ours.front()->number, number);
    folder.store_result(*ours.front(), result_of(1));  // which moves no point to another shard
    ++options.shard;
  }
}

TEST(Work, LeavesToOtherWorkersWhatTheyRunOrHaveRun) {
  const test::TemporaryDirectory home;
  const Folder folder = shell_folder(home.path() / "s", {kResult, kResult, kResult});
  std::vector<int> numbers;
  WorkEvents events;
  events.announce = [&](const Point& point, const PointRecord&, std::size_t, std::size_t) {
    numbers.push_back(point.number);
    folder.store_result(folder.plan().points[2], result_of(7));
  };
  events.pending_signal = [] { return 0; };
  const RunningMark of_another(folder, folder.plan().points[1]);
  const WorkSummary summary = work(folder, by_shell(), events);
  EXPECT_EQ(summary.finished, 1);
  EXPECT_EQ(summary.failed, 0);
  EXPECT_THAT(numbers, testing::ElementsAre(1));
  EXPECT_EQ(record_of(folder, 1).state, PointState::kOpen);
  EXPECT_EQ(record_of(folder, 2).result["time_us"], 7.0);
  EXPECT_EQ(running_points(folder).size(), 1U) << "the mark of the other one stays";
}

TEST(Work, RunsNothingThatLiesInTheFolder) {
  const test::TemporaryDirectory home;
  const Folder folder = shell_folder(home.path() / "s", {kResult});
  const std::filesystem::path copy = home.path() / "s" / folder.plan().program;
  std::filesystem::remove(copy);
  std::ofstream(copy) << "#!/bin/sh\ntouch " << (home.path() / "evil").string() << "\n";
  std::filesystem::permissions(copy, std::filesystem::perms::owner_all);
  EXPECT_EQ(work_on(folder).finished, 1);
  EXPECT_FALSE(std::filesystem::exists(home.path() / "evil"));
}

TEST(Work, PointsThatASignalStopsStayOpen) {
  const test::TemporaryDirectory home;
  const Folder folder = shell_folder(home.path() / "s", {"exec sleep 60", kResult});
  int asked = 0;
  WorkEvents events;
  events.announce = [](const Point&, const PointRecord&, std::size_t, std::size_t) {};
  events.pending_signal = [&] { return ++asked > 3 ? SIGINT : 0; };
  EXPECT_TRUE(work(folder, by_shell(), events).interrupted);
  EXPECT_EQ(record_of(folder, 0).state, PointState::kOpen);
  EXPECT_EQ(record_of(folder, 1).state, PointState::kOpen);
}

TEST(Work, AResultOfAnotherMachineThanThatOfThePlanEndsTheWork) {
  const test::TemporaryDirectory home;
  Plan plan =
      shell_folder(home.path() / "s", {R"(echo '{"machine_hash": "b", "time_us": 2.0}')"}).plan();
  plan.points.front().machine = "b";
  EXPECT_EQ(work_on(Folder::prepare(home.path() / "same", plan)).finished, 1);
  plan.points.front().machine = "a";
  const Folder other = Folder::prepare(home.path() / "other", plan);
  EXPECT_THAT(test::refusal<FolderRefused>([&] { work_on(other); }),
              testing::HasSubstr("point 1 ran on another machine than that of the plan"));
  EXPECT_EQ(record_of(other, 0).state, PointState::kOpen);
}

TEST(Work, AResultThatCannotBeStoredEndsTheWork) {
  const test::TemporaryDirectory home;
  const Folder folder = shell_folder(home.path() / "s", {kResult});
  std::filesystem::create_directory(home.path() / "s/points/key0.json");
  EXPECT_THROW(work_on(folder), IoError);
}

}  // namespace
}  // namespace tcsim::sweep
