#include "models/dram/refresh.hpp"

#include <gtest/gtest.h>

#include "tests/dram/machines.hpp"
#include "tests/dram/probe.hpp"

namespace tcsim::dram::test {
namespace {

DramParams lab_with_refresh() {
  DramParams params = lab_channel;
  params.t_refi_ns = 1610;  // 100.625 clocks per bank
  return params;
}

TEST(RefreshRotation, DividesTheIntervalWithoutDrift) {
  RefreshRotation rotation(1610, 16);
  for (int n = 0; n < 16; ++n) {
    EXPECT_EQ(rotation.dram_bank(), n);
    EXPECT_EQ(rotation.due(), (n + 1) * 1610 / 16);
    rotation.command_issued();
  }
  EXPECT_EQ(rotation.dram_bank(), 0);
  EXPECT_EQ(rotation.due(), 1610 + 100);
}

TEST(Refresh, ReachesEveryBankOncePerInterval) {
  Probe probe(lab_with_refresh(), kLabMemoryMhz);
  probe.run(2 * 1610 + 1);
  ASSERT_EQ(probe.commands().size(), 32U);
  for (int n = 0; n < 32; ++n) {
    EXPECT_EQ(probe.commands()[n], (Issued{(n + 1) * 1610 / 16, Command::kRefresh, n % 16, -1}));
  }
}

TEST(Refresh, KeepsItsBankFromColumnCommandsFromTheClockItIsDue) {
  Probe probe(lab_with_refresh(), kLabMemoryMhz);
  probe.read(0, 0, 1, 0);
  probe.run(50);
  probe.read(99, 0, 1, 1);
  probe.read(100, 0, 1, 2);  // a hit, but the refresh of bank 0 is due at 100
  probe.run(400);
  EXPECT_EQ(probe.at(Command::kRead, 1), 99);
  EXPECT_EQ(probe.at(Command::kRefresh, 0), 109) << "precharge at 99 + tRTP = 102, tRP = 7";
  EXPECT_EQ(probe.at(Command::kRead, 2), 109 + 50 + 6);
}

TEST(Refresh, LetsOtherBanksWork) {
  Probe probe(lab_with_refresh(), kLabMemoryMhz);
  probe.read(101, 4, 1);
  probe.run(200);
  EXPECT_EQ(probe.at(Command::kRefresh, 0), 100);
  EXPECT_EQ(probe.at(Command::kRead, 0), 101 + 6);
}

TEST(Refresh, TakesTheRowBusBeforeAnOlderActivate) {
  Probe probe(lab_with_refresh(), kLabMemoryMhz);
  probe.read(100, 4, 1);
  probe.run(200);
  EXPECT_EQ(probe.at(Command::kRefresh, 0), 100);
  EXPECT_EQ(probe.at(Command::kActivate, 0), 101);
}

TEST(Refresh, IsCaughtUpAtItsProperClocksAfterIdleTime) {
  Probe busy(lab_with_refresh(), kLabMemoryMhz);
  Probe idle(lab_with_refresh(), kLabMemoryMhz);
  for (Cycle now = 0; now <= 5000; ++now) busy.run(now);
  busy.read(5000, 3, 7);
  idle.read(5000, 3, 7);
  EXPECT_GE(idle.channel().next_event(), 5000);
  busy.run(6000);
  idle.run(6000);
  EXPECT_EQ(busy.commands(), idle.commands());
}

TEST(Refresh, CountsAsPrechargeButNotAsRowConflict) {
  Probe probe(lab_with_refresh(), kLabMemoryMhz);
  probe.read(0, 0, 1, 0);
  probe.run(100);
  probe.read(100, 0, 1, 1);
  probe.run(300);
  EXPECT_EQ(probe.counter("precharges"), 1U);
  EXPECT_EQ(probe.counter("row_conflicts"), 0U);
  EXPECT_EQ(probe.counter("row_misses"), 2U);
}

}  // namespace
}  // namespace tcsim::dram::test
