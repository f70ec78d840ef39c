#include "models/dram/channel.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/dram/machines.hpp"
#include "tests/dram/probe.hpp"

namespace tcsim::dram::test {
namespace {

TEST(Channel, HasNoEventWhileItHoldsNoBurst) {
  Probe probe(v100_channel, kV100MemoryMhz);
  EXPECT_EQ(probe.channel().next_event(), kNever);
  probe.read(10, 0, 1);
  EXPECT_EQ(probe.channel().next_event(), 10);
  probe.run(1000);
  EXPECT_EQ(probe.channel().next_event(), kNever);
}

TEST(Channel, AnnouncesEachCommandWithNextEvent) {
  Probe probe(lab_channel, kLabMemoryMhz);
  probe.read(10, 0, 1);
  probe.read(10, 0, 2);
  std::vector<Cycle> events;
  while (probe.channel().next_event() != kNever) {
    events.push_back(probe.channel().next_event());
    probe.run(events.back());
    EXPECT_EQ(probe.commands().size(), events.size() - 1) << "nothing happens before the event";
    probe.run(events.back() + 1);
    EXPECT_EQ(probe.commands().size(), events.size()) << "and something happens at it";
  }
  EXPECT_EQ(events.size(), 5U);  // ACT RD PRE ACT RD
}

TEST(Channel, ServesABurstNoEarlierThanItArrives) {
  Probe probe(lab_channel, kLabMemoryMhz);
  probe.read(0, 0, 1);
  probe.read(40, 0, 1, 1);
  probe.read(41, 4, 1);
  probe.run(200);
  EXPECT_EQ(probe.at(Command::kRead, 1), 40);
  EXPECT_EQ(probe.at(Command::kActivate, 1), 41);
}

TEST(Channel, RefusesWhenEveryEntryIsTakenAndAcceptsAfterTheColumnCommand) {
  DramParams params = lab_channel;
  params.queue_entries = 2;
  Probe probe(params, kLabMemoryMhz);
  probe.read(0, 0, 1);
  EXPECT_TRUE(probe.channel().can_accept());
  probe.read(0, 0, 1, 1);
  EXPECT_FALSE(probe.channel().can_accept());
  probe.run(6);
  EXPECT_FALSE(probe.channel().can_accept());
  probe.run(7);  // the READ issues at 6
  EXPECT_TRUE(probe.channel().can_accept());
  EXPECT_EQ(probe.counter("queue_full_clocks"), 6U);
}

TEST(Channel, CountsTheClocksOfAQueueThatIsStillFull) {
  DramParams params = lab_channel;
  params.queue_entries = 1;
  Probe probe(params, kLabMemoryMhz);
  probe.read(10, 0, 1);
  probe.run(13);
  EXPECT_EQ(probe.counter("queue_full_clocks"), 3U);
  probe.run(100);
  EXPECT_EQ(probe.counter("queue_full_clocks"), 6U);
}

TEST(Channel, DoesNothingWhenToldToAdvanceToThePast) {
  Probe probe(lab_channel, kLabMemoryMhz);
  probe.read(0, 0, 1);
  probe.run(3);
  probe.run(1);
  EXPECT_EQ(probe.commands().size(), 1U);
}

TEST(Channel, CompletesEveryBurstExactlyOnceInOrderOfTime) {
  Probe probe(v100_channel, kV100MemoryMhz);
  Cycle now = 0;
  for (int n = 0; n < 500; ++n) {
    while (!probe.channel().can_accept()) probe.run(++now);
    if (n % 3 == 0) {
      probe.write(now, n * 7 % 16, n % 5, n % 32);
    } else {
      probe.read(now, n * 7 % 16, n % 5, n % 32);
    }
  }
  probe.run(100'000);
  ASSERT_EQ(probe.done().size(), 500U);
  std::set<std::uint64_t> seen;
  Cycle last = -1;
  for (const Completion& completion : probe.done()) {
    EXPECT_GE(completion.at - last, probe.timing().burst_clocks) << "the bus moves one at a time";
    last = completion.at;
    EXPECT_EQ(completion.write, completion.tag % 3 == 0);
    seen.insert(completion.tag);
  }
  EXPECT_EQ(seen.size(), 500U);
}

TEST(Channel, CountersAgreeWithTheCommandBus) {
  Probe probe(v100_channel, kV100MemoryMhz);
  for (int n = 0; n < 64; ++n) {
    if (n % 2 == 0) {
      probe.write(0, n % 16, n % 3);
    } else {
      probe.read(0, n % 16, n % 3);
    }
  }
  probe.run(20'000);
  EXPECT_EQ(probe.counter("reads"), probe.all(Command::kRead).size());
  EXPECT_EQ(probe.counter("writes"), probe.all(Command::kWrite).size());
  EXPECT_EQ(probe.counter("activates"), probe.all(Command::kActivate).size());
  EXPECT_EQ(probe.counter("precharges"), probe.all(Command::kPrecharge).size());
  EXPECT_EQ(probe.counter("refreshes"), probe.all(Command::kRefresh).size());
  EXPECT_EQ(probe.counter("read_bytes"), 32U * 32U);
  EXPECT_EQ(probe.counter("write_bytes"), 32U * 32U);
  EXPECT_EQ(probe.counter("data_bus_busy_clocks"), 64U * 2U);
  EXPECT_EQ(
      probe.counter("row_hits") + probe.counter("row_misses") + probe.counter("row_conflicts"),
      64U);
}

TEST(Channel, RunsTheSameWithoutAnObserver) {
  Probe observed(v100_channel, kV100MemoryMhz);
  Probe alone(v100_channel, kV100MemoryMhz);
  alone.channel().observe({});
  for (Probe* probe : {&observed, &alone}) {
    for (int n = 0; n < 40; ++n) probe->read(n, n * 5 % 16, n % 4);
    probe->run(5000);
  }
  EXPECT_TRUE(alone.commands().empty());
  ASSERT_EQ(observed.done().size(), alone.done().size());
  for (std::size_t n = 0; n < alone.done().size(); ++n) {
    EXPECT_EQ(observed.done()[n].at, alone.done()[n].at);
  }
}

}  // namespace
}  // namespace tcsim::dram::test
