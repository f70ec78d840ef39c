#include <gtest/gtest.h>

#include <array>
#include <random>
#include <tuple>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::memory::test {
namespace {

constexpr Cycle kTraffic = 2000;  // SM cycles in which requests leave
constexpr Cycle kDrain = 120'000;

/// Requests of all SMs in the order (cycle, sm): bursts and pauses, reads and writes, few lines and
/// many.
std::vector<LineRequest> random_traffic(unsigned seed, int sms) {
  std::mt19937 random(seed);
  const auto pick = [&random](unsigned below) { return static_cast<unsigned>(random() % below); };
  std::vector<LineRequest> requests;
  std::uint32_t tag = 0;
  unsigned load_percent = 50;
  for (Cycle cycle = 0; cycle < kTraffic; ++cycle) {
    if (cycle % 100 == 0) load_percent = std::array{2U, 10U, 50U, 90U}[pick(4)];
    for (int sm = 0; sm < sms; ++sm) {
      if (pick(100) >= load_percent) continue;
      LineRequest request;
      request.cycle = cycle;
      request.sm = static_cast<std::uint16_t>(sm);
      request.address = 128 * static_cast<std::uint64_t>(pick(4) == 0 ? pick(20'000) : pick(300));
      request.sectors = static_cast<std::uint8_t>(1 + pick(15));
      if (pick(4) == 0) {
        request.access = LineAccess::kWrite;
        request.partial = static_cast<std::uint8_t>(request.sectors & pick(16));
      } else {
        request.tag = tag++;
        request.of_tile = pick(2) == 0;
      }
      requests.push_back(request);
    }
  }
  return requests;
}

struct Observed {
  std::vector<std::vector<std::pair<Cycle, std::uint32_t>>>
      responses;  ///< by SM, in the order delivered
  CounterValues counters;

  bool operator==(const Observed&) const = default;
};

/// Runs `traffic` in pieces; `cut` gives the length of each, at most the largest quantum. Channels
/// that lag have been carried, every other one, when the L2 goes on.
template <typename Cut>
Observed run(const MemorySetup& setup, const std::vector<LineRequest>& traffic, Cut cut,
             bool channels_lag = false) {
  stats::Group root("test");
  MemorySystem system(setup.noc, setup.l2, setup.tlb, setup.dram, setup.clocks, setup.topology,
                      root);
  std::vector<std::vector<LineResponse>> inbox(static_cast<std::size_t>(setup.topology.sms()));
  std::size_t injected = 0;
  std::vector<std::size_t> seen(inbox.size());
  Cycle now = 0;
  Cycle largest = system.largest_quantum();
  bool lags = false;
  while (now < kTraffic + kDrain) {
    if (lags) {
      system.end_channels();
      system.begin_channels();
      for (std::size_t i = 0; i < system.channels(); i += 2) system.carry_channel(i);
    }
    // All runs stop at the same cycle, so that even the counters of writes still under way agree.
    now = std::min(now + cut(largest), kTraffic + kDrain);
    for (; injected < traffic.size() && traffic[injected].cycle < now; ++injected)
      system.inject(traffic[injected]);
    system.advance(now, inbox);
    for (std::size_t sm = 0; sm < inbox.size(); ++sm) {
      if (inbox[sm].size() > seen[sm]) {
        EXPECT_GE(inbox[sm][seen[sm]].cycle, now) << "an answer in the past";
      }
      seen[sm] = inbox[sm].size();
    }
    if (lags == channels_lag) continue;
    lags = true;
    system.let_channels_lag(true);
    largest = system.largest_lagging_quantum();
    EXPECT_GT(largest, 0);
  }
  if (lags) system.let_channels_lag(false);
  Observed observed;
  std::size_t answers = 0;
  for (const auto& responses : inbox) {
    answers += responses.size();
    auto& of_sm = observed.responses.emplace_back();
    for (const LineResponse& response : responses) of_sm.emplace_back(response.cycle, response.tag);
    EXPECT_TRUE(std::is_sorted(of_sm.begin(), of_sm.end(),
                               [](const auto& a, const auto& b) { return a.first < b.first; }));
  }
  EXPECT_EQ(answers, traffic.size());
  observed.counters = counter_values(root);
  return observed;
}

struct Chip {
  const char* name;
  MemoryClocks clocks;
  int partitions;
  int miss_entries;
  const char* hash;
  const char* scheduling;
  int coalescer_entries = 0;
};

class AnyCut : public ::testing::TestWithParam<Chip> {
 protected:
  static MemorySetup setup() {
    MemorySetup setup;
    setup.noc.distance_spread_cycles = 60;
    setup.clocks = GetParam().clocks;
    setup.l2.partitions = GetParam().partitions;
    setup.l2.miss_entries = GetParam().miss_entries;
    setup.l2.slice_hash = GetParam().hash;
    setup.dram.scheduling = GetParam().scheduling;
    setup.noc.coalescer_entries = GetParam().coalescer_entries;
    setup.noc.coalescer_merges = 3;
    setup.noc.coalescer_window_cycles = 36;
    return setup;
  }
};

TEST_P(AnyCut, EveryQuantumGivesTheSameAnswers) {
  const std::vector<LineRequest> traffic = random_traffic(1, setup().topology.sms());
  const Observed whole = run(setup(), traffic, [](Cycle largest) { return largest; });
  stats::Group root("test");
  const Cycle largest = MemorySystem(setup().noc, setup().l2, setup().tlb, setup().dram,
                                     setup().clocks, setup().topology, root)
                            .largest_quantum();
  for (Cycle quantum = 1; quantum < largest; ++quantum) {
    ASSERT_TRUE(run(setup(), traffic, [quantum](Cycle) { return quantum; }) == whole)
        << "quantum " << quantum;
  }
}

TEST_P(AnyCut, RandomPiecesGiveTheSameAnswers) {
  for (unsigned seed = 2; seed < 6; ++seed) {
    const std::vector<LineRequest> traffic = random_traffic(seed, setup().topology.sms());
    const Observed whole = run(setup(), traffic, [](Cycle largest) { return largest; });
    std::mt19937 random(seed);
    EXPECT_TRUE(run(setup(), traffic,
                    [&random](Cycle largest) {
                      return Cycle{1} +
                             static_cast<Cycle>(random() % static_cast<std::uint64_t>(largest));
                    }) == whole)
        << "seed " << seed;
  }
}

TEST_P(AnyCut, ChannelsThatLagGiveTheSameAnswers) {
  const std::vector<LineRequest> traffic = random_traffic(7, setup().topology.sms());
  const Observed whole = run(setup(), traffic, [](Cycle largest) { return largest; });
  const auto lagging = [&](auto cut) { return run(setup(), traffic, cut, /*channels_lag=*/true); };
  EXPECT_TRUE(lagging([](Cycle largest) { return largest; }) == whole);
  EXPECT_TRUE(lagging([](Cycle) { return Cycle{5}; }) == whole);
}

TEST_P(AnyCut, EveryReadIsAnsweredOnceAtItsSm) {
  const std::vector<LineRequest> traffic = random_traffic(9, setup().topology.sms());
  const Observed whole = run(setup(), traffic, [](Cycle largest) { return largest; });
  std::vector<std::vector<std::uint32_t>> asked(whole.responses.size());
  for (const LineRequest& request : traffic)
    if (request.access == LineAccess::kRead) asked[request.sm].push_back(request.tag);
  for (std::size_t sm = 0; sm < asked.size(); ++sm) {
    std::vector<std::uint32_t> answered;
    for (const auto& [cycle, tag] : whole.responses[sm])
      if (tag != kWriteDone) answered.push_back(tag);
    std::sort(answered.begin(), answered.end());
    EXPECT_EQ(answered, asked[sm]) << "SM " << sm;
  }
}

TEST(RandomTraffic, ReachesEveryPath) {  // so that the comparisons above see something
  MemorySetup setup;
  setup.l2.partitions = 2;
  setup.l2.miss_entries = 3;
  const std::vector<LineRequest> traffic = random_traffic(1, setup.topology.sms());
  const Observed whole = run(setup, traffic, [](Cycle largest) { return largest; });
  for (const std::string name : {"l2_hits", "l2_misses", "l2_crossings", "l2_writeback_bytes",
                                 "l2_blocked", "row_conflicts"}) {
    std::uint64_t total = 0;
    for (const auto& [path, value] : whole.counters)
      if (path.ends_with(name)) total += value;
    EXPECT_GT(total, 100u) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Chips, AnyCut,
    ::testing::Values(Chip{"Plain", {1000, 1000, 1000}, 1, 192, "modulo", "fr_fcfs"},
                      Chip{"InOrder", {1000, 1000, 877}, 1, 192, "modulo", "fcfs"},
                      Chip{"Batches", {1590, 1410, 1215}, 2, 192, "xor_fold", "par_bs"},
                      Chip{"Clocks", {1590, 1410, 1215}, 1, 192, "xor_fold", "fr_fcfs"},
                      Chip{"SlowL2", {1590, 900, 2619}, 1, 4, "xor_fold", "fr_fcfs"},
                      Chip{"Partitions", {1410, 1410, 1215}, 2, 192, "xor_fold", "fr_fcfs"},
                      Chip{"FewEntries", {1755, 1590, 1215}, 2, 3, "xor_fold", "fr_fcfs"},
                      Chip{"Coalescer", {1755, 1590, 1215}, 2, 192, "xor_fold", "fr_fcfs", 40}),
    [](const auto& chip) { return std::string(chip.param.name); });

}  // namespace
}  // namespace tcsim::memory::test
