// Every key of a machine at the ends of its range, at one and beside its value, and some thousand
// pairs and triples of keys, on small machines derived from three shipped ones: each runs to a
// plausible end, or is refused with the keys named.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/schema.hpp"
#include "tests/gpu/key_walk.hpp"
#include "tests/gpu/walk_verdict.hpp"

namespace tcsim::gpu::test {
namespace {

constexpr std::size_t kRandomCases = 1200;  // of each machine

/// What became of some cases.
struct Tally {
  std::size_t cases = 0;
  std::size_t refused = 0;
  std::size_t runs = 0;
  std::size_t without_kernel = 0;

  void add(const WalkResult& result) {
    ++cases;
    if (!result.refusal.empty()) ++refused;
    for (const auto& [work, run] : result.runs) ++(run.ran ? runs : without_kernel);
  }
  void print(const std::string& what) const {
    std::cout << what << ": " << cases << " cases, " << refused << " refused, " << runs << " runs, "
              << without_kernel << " works without a kernel\n";
  }
};

/// A time or a count of cycles of which more takes no less time, kernels staying the same.
bool is_delay(const config::Key& key) {
  const std::string_view path = key.path;
  const bool is_dram_time = path.starts_with("dram.t_") && path != "dram.t_refi_ns";
  const bool is_latency =
      path.ends_with("_latency_cycles") && !path.ends_with("crossing_latency_cycles");
  return is_dram_time || is_latency || path == "launch.overhead_us" ||
         (path.starts_with("launch.cta_") && path.ends_with("_cycles")) ||
         path == "noc.distance_spread_cycles" || path.starts_with("sm.barrier.");
}

/// Something of which more takes no more time; where 0 is allowed, it is no limit.
bool is_supply(const config::Key& key) {
  return key.path.ends_with("bytes_per_cycle") || key.path.ends_with("_mhz");
}

/// Moving when something happens changes which warp or request comes first, and with it the order
/// of all that follows: so much less may the harder machine take (Graham's anomalies).
constexpr double kSlack = 0.10;

class KeyWalkOf : public testing::TestWithParam<std::string> {};

TEST_P(KeyWalkOf, EveryKeyAtItsEndsRunsOrIsRefused) {
  Tally tally;
  std::map<std::string, std::map<double, WalkResult>> by_key;
  const WalkResult shipped = run_walk_case({GetParam(), {}, {}});
  for (const WalkCase& walk : single_key_cases(GetParam())) {
    const WalkResult result = run_walk_case(walk);
    tally.add(result);
    EXPECT_EQ(fault_of(walk, result), "");
    const std::string& text = walk.overrides.front();
    const std::string value = text.substr(text.find('=') + 1);
    const config::Key* const key = config::find_key(walk.keys.front());
    if (key == nullptr || !(is_delay(*key) || is_supply(*key)) || !result.refusal.empty()) continue;
    const double amount = std::stod(value);
    const bool is_unlimited = is_supply(*key) && amount == 0;
    by_key[walk.keys.front()][is_unlimited ? std::numeric_limits<double>::infinity() : amount] =
        result;
  }
  for (const auto& [path, results] : by_key) {
    const config::Key& key = *config::find_key(path);
    if (key.read_by.find("kernels") != std::string_view::npos) continue;  // chooses others
    for (auto less = results.begin(); std::next(less) != results.end(); ++less) {
      const auto more = std::next(less);
      for (const auto& [work, run] : less->second.runs) {
        const auto other = more->second.runs.find(work);
        if (!run.ran || other == more->second.runs.end() || !other->second.ran) continue;
        const double easy = is_delay(key) ? run.us : other->second.us;
        const double hard = is_delay(key) ? other->second.us : run.us;
        EXPECT_GE(hard, easy * (1 - kSlack)) << GetParam() << ' ' << work << ' ' << path << " from "
                                             << less->first << " to " << more->first;
      }
    }
  }
  EXPECT_EQ(shipped.fault, "");
  tally.print(GetParam());
}

TEST_P(KeyWalkOf, PairsAndTriplesRunOrAreRefused) {
  Tally tally;
  for (const WalkCase& walk : random_cases(GetParam(), kRandomCases, 23)) {
    const WalkResult result = run_walk_case(walk);
    tally.add(result);
    EXPECT_EQ(fault_of(walk, result), "");
  }
  tally.print(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Small, KeyWalkOf, testing::ValuesIn(walk_bases()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace tcsim::gpu::test
