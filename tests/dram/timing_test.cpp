#include "models/dram/timing.hpp"

#include <gtest/gtest.h>

#include "tests/dram/machines.hpp"

namespace tcsim::dram::test {
namespace {

TEST(DramTiming, RoundsNanosecondsUpToV100Clocks) {
  const DramTiming timing = resolve(v100_channel, kV100MemoryMhz);  // one clock is 1.1403 ns
  EXPECT_EQ(timing.cl_clocks, 13);
  EXPECT_EQ(timing.cwl_clocks, 5);
  EXPECT_EQ(timing.rcd_read_clocks, 13);
  EXPECT_EQ(timing.rcd_write_clocks, 11);
  EXPECT_EQ(timing.rp_clocks, 13);
  EXPECT_EQ(timing.ras_clocks, 30);
  EXPECT_EQ(timing.wr_clocks, 15);
  EXPECT_EQ(timing.rtp_clocks, 5);
  EXPECT_EQ(timing.rrd_clocks, 4);
  EXPECT_EQ(timing.faw_clocks, 14);
  EXPECT_EQ(timing.wtr_s_clocks, 6);
  EXPECT_EQ(timing.wtr_l_clocks, 8);
  EXPECT_EQ(timing.rfc_clocks, 141);
}

TEST(DramTiming, KeepsATimeThatIsAWholeNumberOfClocks) {
  DramParams params = lab_channel;
  params.t_cl_ns = 14.0;
  EXPECT_EQ(resolve(params, 1000).cl_clocks, 14);
  EXPECT_EQ(resolve(params, 500).cl_clocks, 7);
}

TEST(DramTiming, AddsAClockForOnePicosecondMore) {
  DramParams params = lab_channel;
  params.t_cl_ns = 14.001;
  EXPECT_EQ(resolve(params, 1000).cl_clocks, 15);
}

TEST(DramTiming, IsNotFooledByDecimalsThatBinaryCannotHold) {
  DramParams params = lab_channel;
  params.t_cl_ns = 0.3 * 3 * 10;  // slightly above 9 in binary
  EXPECT_EQ(resolve(params, 1000).cl_clocks, 9);
}

TEST(DramTiming, RoundsTheRefreshIntervalDownBecauseItIsALongestTime) {
  EXPECT_EQ(resolve(v100_channel, kV100MemoryMhz).refi_clocks, 3420);  // 3420.3
}

TEST(DramTiming, GivesABurstHalfAsManyClocksAsBeats) {
  EXPECT_EQ(resolve(v100_channel, kV100MemoryMhz).burst_clocks, 2);
  EXPECT_EQ(resolve(h100_channel, kH100MemoryMhz).burst_clocks, 4);
  EXPECT_EQ(resolve(t4_channel, kT4MemoryMhz).burst_clocks, 8);
}

TEST(DramTiming, MovesThirtyTwoBytesPerBurstOnEveryMachine) {
  EXPECT_EQ(resolve(v100_channel, kV100MemoryMhz).bytes_per_burst, 32);
  EXPECT_EQ(resolve(h100_channel, kH100MemoryMhz).bytes_per_burst, 32);
  EXPECT_EQ(resolve(t4_channel, kT4MemoryMhz).bytes_per_burst, 32);
}

TEST(DramTiming, NeverSpacesColumnCommandsCloserThanTheirData) {
  DramParams params = lab_channel;
  params.burst_length_beats = 16;
  params.row_bytes = 4096;
  const DramTiming timing = resolve(params, kLabMemoryMhz);
  EXPECT_EQ(timing.ccd_s_clocks, 8);
  EXPECT_EQ(timing.ccd_l_clocks, 8);
}

TEST(DramTiming, KeepsReadAndWriteDataApartWhenNoTimeIsGiven) {
  EXPECT_EQ(resolve(lab_channel, kLabMemoryMhz).rtw_clocks, 10 + 2 - 4);
}

TEST(DramTiming, TakesTheReadToWriteTimeWhenItIsLonger) {
  DramParams params = lab_channel;
  params.t_rtw_ns = 12.5;
  EXPECT_EQ(resolve(params, kLabMemoryMhz).rtw_clocks, 13);
}

}  // namespace
}  // namespace tcsim::dram::test
