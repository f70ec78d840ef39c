#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/dram/machines.hpp"
#include "tests/dram/probe.hpp"

namespace tcsim::dram::test {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint64_t> tags(const std::vector<Completion>& done) {
  std::vector<std::uint64_t> found;
  for (const Completion& completion : done) found.push_back(completion.tag);
  return found;
}

Cycle completion_of(const Probe& probe, std::uint64_t tag) {
  for (const Completion& completion : probe.done()) {
    if (completion.tag == tag) return completion.at;
  }
  return -1;
}

TEST(FrFcfs, ServesAYoungerRowHitBeforeAnOlderConflict) {
  Probe probe(lab_channel, kLabMemoryMhz);
  probe.read(0, 0, /*row=*/1, 0);
  probe.read(0, 0, /*row=*/2, 0);
  probe.read(0, 0, /*row=*/1, 1);
  probe.run(200);
  EXPECT_THAT(tags(probe.done()), ElementsAre(0, 2, 1));
  EXPECT_EQ(probe.counter("row_hits"), 1U);
  EXPECT_EQ(probe.counter("row_misses"), 1U);
  EXPECT_EQ(probe.counter("row_conflicts"), 1U);
}

TEST(FrFcfs, ServesHitsOfOneRowInOrderOfArrival) {
  Probe probe(lab_channel, kLabMemoryMhz);
  for (const int column : {3, 1, 2, 0}) probe.read(0, 0, 1, column);
  probe.run(200);
  EXPECT_THAT(tags(probe.done()), ElementsAre(0, 1, 2, 3));
}

TEST(FrFcfs, PrefersTheOldestOfTheHitsThatTheConstraintsAllow) {
  Probe probe(lab_channel, kLabMemoryMhz);
  probe.read(0, 0, 1);
  probe.read(0, 1, 1);
  probe.read(0, 4, 1);
  probe.run(100);
  probe.read(100, 0, 1);  // tag 3, group 0
  probe.read(100, 1, 1);  // tag 4, group 0: not before 104
  probe.read(100, 4, 1);  // tag 5, group 1: at 102
  probe.run(200);
  EXPECT_EQ(completion_of(probe, 5), 102 + 12);
  EXPECT_EQ(completion_of(probe, 4), 104 + 12);
}

TEST(FrFcfs, OpensRowsForTheOldestRequestFirst) {
  Probe probe(lab_channel, kLabMemoryMhz);
  for (const int dram_bank : {9, 2, 14, 0}) probe.read(0, dram_bank, 1);
  probe.run(200);
  const std::vector<Issued> activates = probe.all(Command::kActivate);
  ASSERT_EQ(activates.size(), 4U);
  EXPECT_EQ(activates[0].dram_bank, 9);
  EXPECT_EQ(activates[1].dram_bank, 2);
  EXPECT_EQ(activates[2].dram_bank, 14);
  EXPECT_EQ(activates[3].dram_bank, 0);
}

TEST(FrFcfs, IssuesARowAndAColumnCommandInTheSameClock) {
  DramParams params = lab_channel;
  params.t_rrd_ns = params.t_rcd_read_ns;
  Probe probe(params, kLabMemoryMhz);
  probe.read(0, 0, 1);
  probe.read(0, 4, 1);
  probe.run(100);
  EXPECT_EQ(probe.at(Command::kRead, 0), 6);
  EXPECT_EQ(probe.at(Command::kActivate, 1), 6);
}

TEST(FrFcfs, KeepsARowOpenWhileHitsWait) {
  Probe probe(lab_channel, kLabMemoryMhz);
  probe.read(0, 0, 1, 0);
  probe.read(0, 0, 2, 0);
  for (int column = 1; column < 8; ++column) probe.read(0, 0, 1, column);
  probe.run(300);
  EXPECT_EQ(probe.counter("activates"), 2U);
  EXPECT_GT(probe.at(Command::kPrecharge, 0), probe.at(Command::kRead, 7));
}

TEST(FrFcfs, LetsHitsOvertakeTheOldestRequestOnlySoOften) {
  Probe probe(lab_channel, kLabMemoryMhz);
  probe.read(0, 0, 1);
  probe.run(20);
  probe.read(20, 0, 2);  // tag 1: conflicts with an endless supply of hits
  Cycle now = 20;
  int hits = 0;
  while (completion_of(probe, 1) < 0 && hits < 10 * lab_channel.row_hit_cap) {
    for (; probe.channel().can_accept(); ++hits) probe.read(now, 0, 1, hits % 32);
    probe.run(++now);
  }
  const std::vector<std::uint64_t> order = tags(probe.done());
  const auto overtaken = std::find(order.begin(), order.end(), 1U) - order.begin();
  EXPECT_EQ(overtaken, 1 + lab_channel.row_hit_cap) << "the first read and the hits that overtook";
}

TEST(Turns, WritesAtOnceWhenNoReadWaits) {
  Probe probe(lab_channel, kLabMemoryMhz);
  probe.write(0, 0, 1);
  probe.run(100);
  EXPECT_EQ(probe.at(Command::kWrite, 0), 5);
}

TEST(Turns, ReadsPassWritesBelowTheHighWatermark) {
  Probe probe(lab_channel, kLabMemoryMhz);
  probe.read(0, 0, 1);
  for (int column = 0; column < 8; ++column) probe.write(0, 4, 1, column);
  for (int column = 1; column < 8; ++column) probe.read(0, 0, 1, column);
  probe.run(300);
  EXPECT_LT(probe.at(Command::kRead, 7), probe.at(Command::kWrite, 0));
  EXPECT_EQ(probe.counter("turnarounds"), 1U);
}

TEST(Turns, PassToTheWritesAtTheHighWatermark) {
  const int high = lab_channel.queue_entries * lab_channel.write_high_watermark_percent / 100;
  for (const int writes : {high - 1, high}) {
    Probe probe(lab_channel, kLabMemoryMhz);
    probe.read(0, 0, 1, 0);
    probe.run(50);
    const int reads = lab_channel.queue_entries - writes;
    for (int n = 0; n < reads; ++n) probe.read(50, 0, 1, n % 32);
    for (int n = 0; n < writes; ++n) probe.write(50, 4, 1, n % 32);
    probe.run(1000);
    const bool writes_first = probe.at(Command::kWrite, 0) < probe.at(Command::kRead, 1);
    EXPECT_EQ(writes_first, writes == high) << writes << " writes";
  }
}

TEST(Turns, EndTheWritesAtTheLowWatermark) {
  const int high = lab_channel.queue_entries * lab_channel.write_high_watermark_percent / 100;
  const int low = lab_channel.queue_entries * lab_channel.write_low_watermark_percent / 100;
  Probe probe(lab_channel, kLabMemoryMhz);
  probe.read(0, 0, 1, 0);
  probe.run(50);
  for (int n = 0; n < 8; ++n) probe.read(50, 0, 1, n);
  for (int n = 0; n < high; ++n) probe.write(50, 4, 1, n % 32);
  probe.run(2000);
  const Cycle reads_resume = probe.at(Command::kRead, 1);
  const std::vector<Issued> writes = probe.all(Command::kWrite);
  const auto before = std::count_if(writes.begin(), writes.end(),
                                    [&](const Issued& issued) { return issued.at < reads_resume; });
  EXPECT_EQ(before, high - low);
  EXPECT_EQ(probe.counter("writes"), static_cast<std::uint64_t>(high));
}

TEST(Turns, DoNotLeaveAFewWritesBehindAnEndlessStreamOfReads) {
  Probe probe(lab_channel, kLabMemoryMhz);
  for (int n = 0; n < 16; ++n) probe.read(0, 4 * (n % 4), 1, n / 4);
  probe.write(0, 1, 9);  // tag 16
  Cycle now = 0;
  int reads = 16;
  while (completion_of(probe, 16) < 0 && reads < 10 * Turn::kReadsPerTurn) {
    for (; probe.channel().can_accept(); ++reads) probe.read(now, 4 * (reads % 4), 1, reads % 32);
    probe.run(++now);
  }
  EXPECT_GE(probe.counter("reads"), static_cast<std::uint64_t>(Turn::kReadsPerTurn));
  EXPECT_LE(probe.counter("reads"), static_cast<std::uint64_t>(Turn::kReadsPerTurn + 64));
}

TEST(Turns, DoNotStarveAReadUnderAnEndlessStreamOfWrites) {
  Probe probe(lab_channel, kLabMemoryMhz);
  for (int n = 0; n < 63; ++n) probe.write(0, 4 * (n % 4), 1, n / 4);
  probe.read(0, 1, 9);  // tag 63
  Cycle now = 0;
  int writes = 63;
  while (completion_of(probe, 63) < 0 && writes < 1000) {
    for (; probe.channel().can_accept(); ++writes) {
      probe.write(now, 4 * (writes % 4), 1, writes % 32);
    }
    probe.run(++now);
  }
  EXPECT_LE(probe.counter("writes"), 64U) << "one turn of writes";
}

}  // namespace
}  // namespace tcsim::dram::test
