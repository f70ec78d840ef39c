// Random traffic of several characters, compared command for command: Channel against NaiveChannel,
// and Channel against itself under other cuts of time.

#include <gtest/gtest.h>

#include <ostream>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/dram/machines.hpp"
#include "tests/dram/naive_channel.hpp"
#include "tests/dram/traffic.hpp"

namespace tcsim::dram::test {

namespace {

struct Case {
  const char* name;
  DramParams params;
  int memory_mhz;
  int rows;   ///< different rows in use: few give hits, many conflicts
  int banks;  ///< different banks in use
  int write_percent;
  int hot_percent;   ///< part of the bursts that go to row 0 whatever the draw
  int idle_percent;  ///< part of the clocks in which nothing is pushed
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

DramParams with_queue(DramParams params, int entries) {
  params.queue_entries = entries;
  return params;
}

struct Arrival {
  Cycle at;
  Burst burst;
};

/// Feeds a plain channel clock by clock; what it accepted and when is the script for the others.
std::vector<Arrival> record(const Case& each, unsigned seed, Cycle clocks, NaiveChannel& channel) {
  std::mt19937 random(seed);
  const auto below = [&random](int limit) { return static_cast<int>(random() % limit); };
  std::vector<Arrival> arrivals;
  for (Cycle now = 0; now < clocks; ++now) {
    // Phases of 512 clocks, one of eight without any traffic, so that queues also run empty.
    const bool quiet = now / 512 % 8 == 7;
    while (!quiet && channel.can_accept() && below(100) >= each.idle_percent) {
      const int row = below(100) < each.hot_percent ? 0 : below(each.rows);
      const std::uint64_t address = address_of(each.params, below(each.banks), row, below(8));
      const bool write = below(100) < each.write_percent;
      const auto source = static_cast<std::uint16_t>(below(3) * below(5));
      arrivals.push_back({now, {arrivals.size(), address, write, source}});
      channel.push(now, arrivals.back().burst);
    }
    channel.tick(now);
  }
  return arrivals;
}

struct Outcome {
  std::vector<Issued> commands;
  std::vector<Completion> done;
  std::vector<std::uint64_t> counters;
};

/// Replays `arrivals`; between two of them time advances in steps that `step` draws.
Outcome replay(const Case& each, const std::vector<Arrival>& arrivals, Cycle clocks,
               const std::function<Cycle()>& step) {
  stats::Group root("test");
  Channel channel(resolve(each.params, each.memory_mhz), each.params, root, "channel");
  Outcome outcome;
  channel.observe([&](Cycle at, Command command, int dram_bank, std::int64_t row) {
    outcome.commands.push_back({at, command, dram_bank, row});
  });
  Cycle now = 0;
  const auto run_to = [&](Cycle until) {
    while (now < until) {
      now = std::min(until, now + step());
      channel.advance(now, outcome.done);
    }
  };
  for (const Arrival& arrival : arrivals) {
    run_to(arrival.at);
    EXPECT_TRUE(channel.can_accept());
    channel.push(arrival.at, arrival.burst);
  }
  run_to(clocks);
  for (const stats::Counter* counter : root.children().front()->counters()) {
    outcome.counters.push_back(counter->value());
  }
  return outcome;
}

/// Refresh issues on the row bus and a READ of the same clock on the column bus; the order between
/// the two is no matter.
std::vector<Issued> in_bus_order(std::vector<Issued> commands) {
  std::stable_sort(commands.begin(), commands.end(), [](const Issued& left, const Issued& right) {
    return left.at != right.at ? left.at < right.at : left.command < right.command;
  });
  return commands;
}

void expect_same(const std::vector<Issued>& left, const std::vector<Issued>& right) {
  const std::size_t common = std::min(left.size(), right.size());
  for (std::size_t n = 0; n < common; ++n) ASSERT_EQ(left[n], right[n]) << "command " << n;
  EXPECT_EQ(left.size(), right.size());
}

/// Clocks of one comparison; dozens of refreshes of single banks lie in them.
constexpr Cycle kClocks = TC_CLOCKS;

/// Each case with each policy that has a plain model.
class DramDifferential : public testing::TestWithParam<std::tuple<Case, std::string>> {
 protected:
  static Case each_case() {
    Case each = std::get<0>(GetParam());
    each.params = with_plain_addresses(each.params);
    each.params.scheduling = std::get<1>(GetParam());
    return each;
  }
};

std::vector<std::string> plain_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : plain_schedulings()) names.push_back(name);
  return names;
}

TEST_P(DramDifferential, MatchesTheNaiveChannelCommandForCommand) {
  const Case each = each_case();
  for (unsigned seed = 1; seed <= 2; ++seed) {
    NaiveChannel naive(resolve(each.params, each.memory_mhz), each.params);
    const std::vector<Arrival> arrivals = record(each, seed, kClocks, naive);
    const Outcome event = replay(each, arrivals, kClocks, [] { return kClocks; });
    ASSERT_GT(naive.done().size(), 100U);
    expect_same(in_bus_order(event.commands), in_bus_order(naive.commands()));
    EXPECT_TRUE(event.done == naive.done());
  }
}

TEST_P(DramDifferential, DoesNotDependOnHowTimeIsCut) {
  const Case each = each_case();
  NaiveChannel naive(resolve(each.params, each.memory_mhz), each.params);
  const std::vector<Arrival> arrivals = record(each, 3, kClocks, naive);
  const Outcome whole = replay(each, arrivals, kClocks, [] { return kClocks; });
  const Outcome clocks = replay(each, arrivals, kClocks, [] { return 1; });
  std::mt19937 random(7);
  const Outcome cuts = replay(each, arrivals, kClocks, [&] { return Cycle{1} + random() % 97; });
  for (const Outcome* other : {&clocks, &cuts}) {
    expect_same(other->commands, whole.commands);
    EXPECT_TRUE(other->done == whole.done);
    EXPECT_EQ(other->counters, whole.counters);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Traffic, DramDifferential,
    testing::Combine(
        testing::Values(
            Case{"V100Reads", v100_channel, kV100MemoryMhz, 4, 16, 0, 0, 30},
            Case{"V100Mixed", v100_channel, kV100MemoryMhz, 4, 16, 50, 0, 30},
            Case{"V100Conflicts", v100_channel, kV100MemoryMhz, 1000, 16, 30, 0, 0},
            Case{"V100Sparse", v100_channel, kV100MemoryMhz, 3, 16, 40, 0, 97},
            Case{"V100OneBank", v100_channel, kV100MemoryMhz, 2, 1, 20, 0, 0},
            Case{"V100FewWrites", v100_channel, kV100MemoryMhz, 1, 16, 1, 0, 0},
            Case{"V100MostlyWrites", v100_channel, kV100MemoryMhz, 3, 8, 95, 0, 10},
            Case{"V100TinyQueue", with_queue(v100_channel, 3), kV100MemoryMhz, 3, 8, 40, 0, 50},
            Case{"V100OneEntry", with_queue(v100_channel, 1), kV100MemoryMhz, 3, 8, 40, 0, 0},
            Case{"V100HotRow", v100_channel, kV100MemoryMhz, 40, 2, 3, 97, 0},
            Case{"V100HotRowMixed", v100_channel, kV100MemoryMhz, 40, 16, 50, 90, 0},
            Case{"V100HotRowTiny", with_queue(v100_channel, 8), kV100MemoryMhz, 40, 3, 50, 80, 0},
            Case{"H100Mixed", with_queue(h100_channel, 64), kH100MemoryMhz, 4, 16, 50, 0, 30},
            Case{"T4Mixed", t4_channel, kT4MemoryMhz, 8, 16, 30, 0, 30},
            Case{"LabMixed", lab_channel, kLabMemoryMhz, 3, 16, 50, 0, 20}),
        testing::ValuesIn(plain_names())),
    [](const auto& each) {
      return std::string(std::get<0>(each.param).name) + "_" + std::get<1>(each.param);
    });

}  // namespace
}  // namespace tcsim::dram::test
