#include "models/dram/constraints.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/dram/machines.hpp"

namespace tcsim::dram::test {
namespace {

constexpr Cycle kStart = 1000;

/// After `first` to kBank, `second` to `bank` must wait `delay` clocks in the lab channel.
struct Pair {
  const char* name;
  Command first;
  Command second;
  int bank;
  Cycle delay;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

class CommandClockPair : public testing::TestWithParam<Pair> {};

TEST_P(CommandClockPair, IsRefusedOneClockEarlyAndAllowedOnTime) {
  CommandClock clock(constraint_table(resolve(lab_channel, kLabMemoryMhz)), 4, 4);
  const Pair& pair = GetParam();
  clock.issue(pair.first, kBank, kStart);
  const Cycle on_time = kStart + pair.delay;
  EXPECT_FALSE(clock.earliest(pair.second, pair.bank) <= on_time - 1);
  EXPECT_TRUE(clock.earliest(pair.second, pair.bank) <= on_time);
}

constexpr Command kAct = Command::kActivate;
constexpr Command kPre = Command::kPrecharge;
constexpr Command kRd = Command::kRead;
constexpr Command kWr = Command::kWrite;
constexpr Command kRef = Command::kRefresh;
constexpr Cycle kWriteEnd = 4 + 2;  // CWL and two clocks of data

INSTANTIATE_TEST_SUITE_P(
    Delays, CommandClockPair,
    testing::Values(Pair{"RcdRead", kAct, kRd, kBank, 6}, Pair{"RcdWrite", kAct, kWr, kBank, 5},
                    Pair{"Ras", kAct, kPre, kBank, 12}, Pair{"Rtp", kRd, kPre, kBank, 3},
                    Pair{"Wr", kWr, kPre, kBank, kWriteEnd + 8}, Pair{"Rp", kPre, kAct, kBank, 7},
                    Pair{"RpBeforeRefresh", kPre, kRef, kBank, 7},
                    Pair{"Rfc", kRef, kAct, kBank, 50},
                    Pair{"RfcBeforeRefresh", kRef, kRef, kBank, 50},
                    Pair{"CcdLongReads", kRd, kRd, kSameGroupBank, 4},
                    Pair{"CcdLongWrites", kWr, kWr, kSameGroupBank, 4},
                    Pair{"CcdShortReads", kRd, kRd, kOtherGroupBank, 2},
                    Pair{"CcdShortWrites", kWr, kWr, kOtherGroupBank, 2},
                    Pair{"WtrLong", kWr, kRd, kSameGroupBank, kWriteEnd + 5},
                    Pair{"WtrShort", kWr, kRd, kOtherGroupBank, kWriteEnd + 3},
                    Pair{"Rtw", kRd, kWr, kOtherGroupBank, 8},
                    Pair{"Rrd", kAct, kAct, kOtherGroupBank, 2}),
    [](const auto& each) { return std::string(each.param.name); });

/// Pairs that no rule connects.
class FreePair : public testing::TestWithParam<Pair> {};

TEST_P(FreePair, IsAllowedAtOnce) {
  CommandClock clock(constraint_table(resolve(lab_channel, kLabMemoryMhz)), 4, 4);
  const Pair& pair = GetParam();
  clock.issue(pair.first, kBank, kStart);
  EXPECT_LE(clock.earliest(pair.second, pair.bank), kStart);
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, FreePair,
    testing::Values(Pair{"ReadAfterOtherActivate", kAct, kRd, kSameGroupBank, 0},
                    Pair{"PrechargeAfterOtherRead", kRd, kPre, kSameGroupBank, 0},
                    Pair{"ActivateAfterOtherPrecharge", kPre, kAct, kSameGroupBank, 0},
                    Pair{"ActivateAfterOtherRefresh", kRef, kAct, kSameGroupBank, 0},
                    Pair{"ReadAfterOtherRefresh", kRef, kRd, kOtherGroupBank, 0}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(CommandClock, AllowsFourActivatesInAWindowAndTheFifthAfterIt) {
  DramParams params = lab_channel;
  params.t_faw_ns = 20;
  CommandClock clock(constraint_table(resolve(params, kLabMemoryMhz)), 4, 4);
  for (int n = 0; n < 4; ++n) {
    ASSERT_EQ(clock.earliest(kAct, n * 4), n == 0 ? 0 : kStart + 2 * n);
    clock.issue(kAct, n * 4, kStart + 2 * n);
  }
  EXPECT_EQ(clock.earliest(kAct, 1), kStart + 20);
  clock.issue(kAct, 1, kStart + 20);
  EXPECT_EQ(clock.earliest(kAct, 2), kStart + 22) << "counted from the second, which tRRD covers";
}

TEST(CommandClock, CountsTheWindowFromTheFourthLastActivate) {
  DramParams params = lab_channel;
  params.t_faw_ns = 20;
  CommandClock clock(constraint_table(resolve(params, kLabMemoryMhz)), 4, 4);
  const Cycle at[] = {0, 2, 10, 12, 20};
  for (int n = 0; n < 5; ++n) clock.issue(kAct, n, kStart + at[n]);
  EXPECT_EQ(clock.earliest(kAct, 5), kStart + 22);
  clock.issue(kAct, 5, kStart + 22);
  EXPECT_EQ(clock.earliest(kAct, 6), kStart + 30) << "the activate at 10 is now the fourth last";
}

TEST(CommandClock, KeepsTheLongestOfSeveralDelays) {
  CommandClock clock(constraint_table(resolve(lab_channel, kLabMemoryMhz)), 4, 4);
  clock.issue(kAct, kBank, kStart);
  clock.issue(kWr, kBank, kStart + 5);
  EXPECT_EQ(clock.earliest(kPre, kBank), kStart + 5 + kWriteEnd + 8);
  EXPECT_EQ(clock.earliest(kRd, kBank), kStart + 5 + kWriteEnd + 5);
}

}  // namespace
}  // namespace tcsim::dram::test
