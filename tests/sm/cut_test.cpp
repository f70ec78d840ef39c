#include <gtest/gtest.h>

#include <array>
#include <random>
#include <tuple>

#include "tests/sm/sm_bench.hpp"
#include "tests/support/random_program.hpp"

namespace tcsim::sm::test {
namespace {

constexpr Cycle kShortestAnswer = 60;

/// Everything that a run shows to the outside.
struct Observed {
  std::vector<std::tuple<Cycle, std::uint64_t, int, int, std::uint32_t>> requests;
  std::vector<Cycle> ended;
  CounterValues counters;

  bool operator==(const Observed&) const = default;
};

/// Runs all CTAs of `launch` through two slots; `cut` gives the length of each piece, at most
/// kShortestAnswer.
template <typename Cut>
Observed run(const isa::KernelLaunch& launch, const SmParams& params, Cut cut) {
  SmBench bench(launch, params, 2);
  // Answers take an irregular time that depends on the request alone.
  bench.memory_latency = [](const memory::LineRequest& request) {
    return kShortestAnswer +
           static_cast<Cycle>(
               (request.address / 128 * 37 + static_cast<std::uint64_t>(request.cycle)) % 90);
  };
  std::int64_t started = 0;
  std::size_t replaced = 0;
  for (; started < 2; ++started) bench.start_cta(started);
  while (bench.now() < SmBench::kGiveUp) {
    bench.advance(cut());
    // A CTA follows kShortestAnswer cycles after one has ended, whatever the pieces are.
    for (; replaced < bench.sm().ended_ctas().size(); ++replaced) {
      if (started < launch.cta_count())
        bench.start_cta(started++, bench.sm().ended_ctas()[replaced] + kShortestAnswer);
    }
    if (bench.sm().ended_ctas().size() == static_cast<std::size_t>(launch.cta_count()) &&
        bench.sm().is_idle() && bench.sm().requests().empty())
      break;
  }
  Observed observed;
  for (const memory::LineRequest& request : bench.requests())
    observed.requests.emplace_back(request.cycle, request.address, request.sectors,
                                   static_cast<int>(request.access), request.tag);
  observed.ended = bench.sm().ended_ctas();
  EXPECT_EQ(observed.ended.size(), static_cast<std::size_t>(launch.cta_count())) << "did not end";
  const Cycle end = observed.ended.empty() ? bench.now() : observed.ended.back();
  bench.sm().charge_rest(end);
  bench.expect_reasons_add_up(end);
  observed.counters = bench.counters();
  return observed;
}

class AnyCut : public ::testing::TestWithParam<unsigned> {};

TEST_P(AnyCut, PiecesOfAnyLengthGiveTheSameRun) {
  const isa::KernelLaunch launch = random_launch(GetParam());
  SmParams params = ampere_sm();
  const auto policies = IssuePolicies::names();
  params.issue_policy = policies[GetParam() % policies.size()];
  if (GetParam() % 3 == 1) params.l1.miss_entries = 40;
  const Observed whole = run(launch, params, [] { return kShortestAnswer; });
  EXPECT_TRUE(run(launch, params, [] { return Cycle{1}; }) == whole);
  for (unsigned seed = 0; seed < 3; ++seed) {
    std::mt19937 random(seed);
    EXPECT_TRUE(run(launch, params, [&random] { return Cycle{1} + random() % kShortestAnswer; }) ==
                whole)
        << "cuts " << seed;
  }
}

TEST(Cut, ProgramsSendRequests) {  // so that the comparison above sees something
  std::size_t requests = 0;
  for (unsigned seed = 0; seed < 30; ++seed)
    requests +=
        run(random_launch(seed), ampere_sm(), [] { return kShortestAnswer; }).requests.size();
  EXPECT_GT(requests, 10'000U);
}

INSTANTIATE_TEST_SUITE_P(Programs, AnyCut, ::testing::Range(0U, 30U));

}  // namespace
}  // namespace tcsim::sm::test
