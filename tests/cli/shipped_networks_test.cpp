#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/networks/network_file.hpp"
#include "tests/cli/tcsim_process.hpp"
#include "workloads/networks/counts.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;

class ShippedNetwork : public ::testing::TestWithParam<std::string> {};

/// Those that take minutes and more than one board are told of, not run.
constexpr std::int64_t kLargest = 1'000'000'000;

TEST_P(ShippedNetwork, RunsOnAnA100) {
  if (networks::parameters(networks::load_network(GetParam())) > kLargest)
    GTEST_SKIP() << "too large to run here";
  const TemporaryHome home;
  const ChildResult result =
      tcsim({"run", "net:" + GetParam(), "-m", "a100", "-f", "json", "--no-files", "-q"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json run = Json::parse(result.output);
  constexpr double kOperationsPerMac = 2.0;
  EXPECT_DOUBLE_EQ(run["flop"].get<double>(),
                   kOperationsPerMac * run["macs_per_sample"].get<double>());
  for (const Json& step : run["steps"]) EXPECT_GT(step["result"]["time_us"].get<double>(), 0);
}

INSTANTIATE_TEST_SUITE_P(Every, ShippedNetwork, ::testing::ValuesIn(networks::network_names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace tcsim::cli
