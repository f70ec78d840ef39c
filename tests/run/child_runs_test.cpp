#include "sim/run/child_runs.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sim/run/request_io.hpp"
#include "tests/cli/tcsim_process.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::run {
namespace {

ChildRun child(const std::string& text) { return {read_request("request", text)}; }

std::vector<ChildOutcome> outcomes(const std::vector<ChildRun>& runs, const std::string& program) {
  std::vector<ChildOutcome> all(runs.size());
  run_children(runs, {2, [] { return 0; }, program},
               [&](std::size_t index, const ChildOutcome& outcome) { all[index] = outcome; });
  return all;
}

TEST(ChildRuns, EachTellsWhatCameOfIt) {
  const auto all = outcomes({child("{workload: \"gemm:64\", machine: v100, jobs: 1}"),
                             child("{workload: \"gemm:64\", machine: v10}"),
                             child("{workload: \"gemm:256\", machine: v100, max_cycles: 9}")},
                            cli::program());
  EXPECT_EQ(all[0].status, kDone);
  EXPECT_EQ(all[0].result["machine"], "v100");
  EXPECT_EQ(all[0].failure, "");
  EXPECT_EQ(all[1].status, kUserMistake);
  EXPECT_TRUE(all[1].result.is_null());
  EXPECT_EQ(all[1].failure.substr(0, 34), "status 2: v10: no such machine; di");
  EXPECT_EQ(all[2].status, kStopped);
  EXPECT_TRUE(all[2].is_partial);
  EXPECT_EQ(all[2].result["simulation"]["stopped_by"], "cycle limit");
}

TEST(ChildRuns, TheReasonIsTheFirstMistakeOfMany) {
  process::ChildResult child;
  child.started = true;
  child.status = kUserMistake;
  child.errors = "first\n\nlast\n";
  EXPECT_EQ(outcome_of(child).failure, "status 2: first");
}

TEST(ChildRuns, AProgramThatSaysNothingIsADefect) {
  const auto all = outcomes({child("{workload: \"gemm:64\", machine: v100}")}, "/bin/true");
  EXPECT_EQ(all[0].status, kOurBug);
}

TEST(ChildRuns, ASignalInterruptsAlsoWhoDoesNotHearIt) {
  const test::TemporaryDirectory folder;
  for (const char* end :
       {"kill -INT $$", "kill -TERM $$", "echo tcsim: interrupted >&2; exit 130"}) {
    const std::filesystem::path program = folder.path() / "program";
    std::ofstream(program) << "#!/bin/sh\n" << end << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const auto all = outcomes({child("{workload: \"gemm:64\", machine: v100}")}, program.string());
    EXPECT_EQ(all[0].status, kInterrupted) << end;
    EXPECT_TRUE(all[0].is_partial) << end;
    EXPECT_EQ(all[0].failure, "interrupted") << end;
  }
}

TEST(ChildRuns, WhatIsStoppedIsNotRun) {
  std::size_t heard = 0;
  run_children({child("{workload: \"gemm:64\", machine: v100}")},
               {1, [] { return 2; }, cli::program()},
               [&](std::size_t, const ChildOutcome&) { ++heard; });
  EXPECT_EQ(heard, 0U);
}

}  // namespace
}  // namespace tcsim::run
