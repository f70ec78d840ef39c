#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "sim/api/tcsim.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim {
namespace {

double time_us_of(const std::string& workload) {
  return simulate(Request(workload, "lab-tiny").set("jobs", "1")).metric("time_us").value();
}

TEST(Simulate, ThreadsTakeTurns) {
  const double small = time_us_of("gemm:64");
  const double large = time_us_of("gemm:128");
  double small_beside = 0;
  double large_beside = 0;
  std::thread other([&large_beside] { large_beside = time_us_of("gemm:128"); });
  small_beside = time_us_of("gemm:64");
  other.join();
  EXPECT_EQ(small_beside, small);
  EXPECT_EQ(large_beside, large);
}

TEST(Simulate, AForkedChildDoesNotWaitForThreadsOfItsParent) {
  std::promise<void> begun;
  std::promise<void> forked;
  Listener listener;
  listener.keep_going = [&](const Progress&) {
    begun.set_value();
    forked.get_future().wait();
    return false;
  };
  std::thread other([&] { simulate(Request("gemm:64", "lab-tiny").set("jobs", "1"), listener); });
  begun.get_future().wait();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // ends a child that waits
    ::_exit(time_us_of("gemm:64") > 0 ? 0 : 1);
  }
  forked.set_value();
  other.join();
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Simulate, AListenerCannotCallIt) {
  Listener listener;
  std::string refusal;
  listener.keep_going = [&refusal](const Progress&) {
    refusal = test::refusal<UsageError>([] { time_us_of("gemm:64"); });
    return true;
  };
  EXPECT_TRUE(simulate({"gemm:64", "lab-tiny"}, listener).complete);
  EXPECT_EQ(refusal, "a listener cannot call simulate");
}

TEST(Simulate, LeavesTheTrialOfTilesToTheProgram) {
  EXPECT_THAT(test::refusal<UsageError>(
                  [] { simulate(Request("gemm:64", "lab-tiny").set("tile", "best:3")); }),
              testing::HasSubstr("use tcsim run --tile best"));
}

TEST(Simulate, HasOnlyMetricsOfTheTableForANetworkToo) {
  const Result result = simulate(Request("net:lenet", "lab-tiny").set("jobs", "1"));
  for (const char* metric : {"time_us", "tflops", "samples_per_s"})
    EXPECT_TRUE(result.metric(metric)) << metric;
  for (const char* other :
       {"schema_version", "gpus", "parameters", "macs_per_sample", "dram_bytes", "reused_steps"})
    EXPECT_FALSE(result.metric(other)) << other;
}

TEST(Simulate, NamesAMachineWithAllItsBytes) {
  const std::string refusal =
      test::refusal<UsageError>([] { simulate(Request("gemm:64", std::string("v100\0x", 6))); });
  EXPECT_THAT(refusal, testing::StartsWith("v100\\u0000x: no such machine"));
}

}  // namespace
}  // namespace tcsim
