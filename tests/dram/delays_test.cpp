// Each test sets one parameter so that it alone decides when a command issues, and reads the clock
// off the command bus. The scheduler issues as early as it may, so "exactly n" says both: refused
// at n - 1, allowed at n. Every delay is tried with two values.

#include <gtest/gtest.h>

#include "tests/dram/machines.hpp"
#include "tests/dram/probe.hpp"

namespace tcsim::dram::test {
namespace {

constexpr Cycle kLater = 200;  // long after the rows were opened

class ChannelDelay : public testing::TestWithParam<int> {
 protected:
  int n() const { return GetParam(); }
  DramParams params_ = lab_channel;
};

INSTANTIATE_TEST_SUITE_P(Clocks, ChannelDelay, testing::Values(30, 31));

TEST_P(ChannelDelay, ActivateToRead) {
  params_.t_rcd_read_ns = n();
  Probe probe(params_, kLabMemoryMhz);
  probe.read(0, kBank, 1);
  probe.run(kLater);
  EXPECT_EQ(probe.commands(), (std::vector<Issued>{{0, Command::kActivate, kBank, 1},
                                                   {n(), Command::kRead, kBank, 1}}));
}

TEST_P(ChannelDelay, ActivateToWrite) {
  params_.t_rcd_write_ns = n();
  Probe probe(params_, kLabMemoryMhz);
  probe.write(0, kBank, 1);
  probe.run(kLater);
  EXPECT_EQ(probe.commands(), (std::vector<Issued>{{0, Command::kActivate, kBank, 1},
                                                   {n(), Command::kWrite, kBank, 1}}));
}

TEST_P(ChannelDelay, ActivateToPrecharge) {
  params_.t_ras_ns = n();
  Probe probe(params_, kLabMemoryMhz);
  probe.read(0, kBank, 1);
  probe.read(0, kBank, 2);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kPrecharge, 0), n());
}

TEST_P(ChannelDelay, PrechargeToActivate) {
  params_.t_rp_ns = n();
  Probe probe(params_, kLabMemoryMhz);
  probe.read(0, kBank, 1);
  probe.read(0, kBank, 2);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kActivate, 1) - probe.at(Command::kPrecharge, 0), n());
}

TEST_P(ChannelDelay, ReadToPrecharge) {
  params_.t_rtp_ns = n();
  Probe probe(params_, kLabMemoryMhz);
  probe.read(0, kBank, 1);
  probe.read(0, kBank, 2);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kPrecharge, 0) - probe.at(Command::kRead, 0), n());
}

TEST_P(ChannelDelay, EndOfWriteDataToPrecharge) {
  params_.t_wr_ns = n();
  Probe probe(params_, kLabMemoryMhz);
  probe.write(0, kBank, 1);
  probe.write(0, kBank, 2);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kPrecharge, 0) - probe.at(Command::kWrite, 0), 4 + 2 + n());
}

TEST_P(ChannelDelay, ReadToReadInTheSameBankGroup) {
  params_.t_ccd_l_clocks = n();
  Probe probe(params_, kLabMemoryMhz);
  probe.read(0, kBank, 1, 0);
  probe.read(0, kBank, 1, 1);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kRead, 1) - probe.at(Command::kRead, 0), n());
}

TEST_P(ChannelDelay, ReadToReadOfAnotherStackId) {
  params_.stack_ids = 2;
  params_.t_ccd_r_clocks = n();
  Probe probe(params_, kLabMemoryMhz);
  probe.read(0, kBank, 1);
  probe.read(0, kOtherStackBank, 1);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kRead, 1) - probe.at(Command::kRead, 0), n());
}

TEST_P(ChannelDelay, WritesDoNotMindTheStackId) {
  params_.stack_ids = 2;
  params_.t_ccd_r_clocks = 2 + n();
  Probe probe(params_, kLabMemoryMhz);
  probe.write(0, kBank, 1);
  probe.write(0, kOtherStackBank, 1);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kWrite, 1) - probe.at(Command::kWrite, 0), 2);
}

TEST_P(ChannelDelay, WriteToWriteInTheSameBankGroup) {
  params_.t_ccd_l_clocks = n();
  Probe probe(params_, kLabMemoryMhz);
  probe.write(0, kBank, 1, 0);
  probe.write(0, kSameGroupBank, 1, 1);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kWrite, 1) - probe.at(Command::kWrite, 0), n());
}

TEST_P(ChannelDelay, ReadToReadInAnotherBankGroup) {
  params_.t_ccd_s_clocks = n();
  params_.t_ccd_l_clocks = 2 * n();
  Probe probe(params_, kLabMemoryMhz);
  probe.read(0, kBank, 1);
  probe.read(0, kOtherGroupBank, 1);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kRead, 1) - probe.at(Command::kRead, 0), n());
}

TEST_P(ChannelDelay, ActivateToActivateInAnotherBank) {
  params_.t_rrd_ns = n();
  Probe probe(params_, kLabMemoryMhz);
  probe.read(0, kBank, 1);
  probe.read(0, kOtherGroupBank, 1);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kActivate, 1), n());
}

TEST_P(ChannelDelay, ActivateToFourthActivateAfterIt) {
  params_.t_faw_ns = n();
  Probe probe(params_, kLabMemoryMhz);
  for (int dram_bank = 0; dram_bank < 5; ++dram_bank) probe.read(0, dram_bank, 1);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kActivate, 3), 6) << "three tRRD of 2";
  EXPECT_EQ(probe.at(Command::kActivate, 4), n());
}

/// Opens row 1 of the banks, then writes to kBank and reads from `reading_bank` at once.
Cycle write_to_read(const DramParams& params, int reading_bank) {
  Probe probe(params, kLabMemoryMhz);
  probe.read(0, kBank, 1);
  probe.read(0, reading_bank, 1);
  probe.run(kLater);
  probe.write(kLater, kBank, 1);
  probe.run(kLater + 1);
  probe.read(kLater + 1, reading_bank, 1);
  probe.run(2 * kLater);
  EXPECT_EQ(probe.at(Command::kWrite, 0), kLater);
  return probe.at(Command::kRead, 2) - probe.at(Command::kWrite, 0);
}

TEST_P(ChannelDelay, EndOfWriteDataToReadInAnotherBankGroup) {
  params_.t_wtr_s_ns = n();
  params_.t_wtr_l_ns = 2 * n();
  EXPECT_EQ(write_to_read(params_, kOtherGroupBank), 4 + 2 + n());
}

TEST_P(ChannelDelay, EndOfWriteDataToReadInTheSameBankGroup) {
  params_.t_wtr_l_ns = n();
  EXPECT_EQ(write_to_read(params_, kSameGroupBank), 4 + 2 + n());
}

/// The same with the read first.
Cycle read_to_write(const DramParams& params) {
  Probe probe(params, kLabMemoryMhz);
  probe.read(0, kBank, 1);
  probe.run(kLater);
  probe.read(kLater, kBank, 1);
  probe.run(kLater + 1);
  probe.write(kLater + 1, kBank, 1);
  probe.run(2 * kLater);
  EXPECT_EQ(probe.at(Command::kRead, 1), kLater);
  return probe.at(Command::kWrite, 0) - probe.at(Command::kRead, 1);
}

TEST_P(ChannelDelay, ReadToWriteByTime) {
  params_.t_rtw_ns = n();
  EXPECT_EQ(read_to_write(params_), n());
}

TEST_P(ChannelDelay, ReadToWriteByTheDataBus) {
  params_.t_cl_ns = n();
  EXPECT_EQ(read_to_write(params_), n() + 2 - 4);
}

TEST_P(ChannelDelay, ReadToLastData) {
  params_.t_cl_ns = n();
  Probe probe(params_, kLabMemoryMhz);
  probe.read(0, kBank, 1);
  probe.run(kLater);
  ASSERT_EQ(probe.done().size(), 1U);
  EXPECT_EQ(probe.done()[0].at, 6 + n() + 2);
}

TEST_P(ChannelDelay, WriteToLastData) {
  params_.t_cwl_ns = n();
  Probe probe(params_, kLabMemoryMhz);
  probe.write(0, kBank, 1);
  probe.run(kLater);
  ASSERT_EQ(probe.done().size(), 1U);
  EXPECT_TRUE(probe.done()[0].write);
  EXPECT_EQ(probe.done()[0].at, 5 + n() + 2);
}

TEST_P(ChannelDelay, RefreshToActivate) {
  params_.t_rfc_ns = n();
  params_.t_refi_ns = 1600;  // one of the 16 banks every 100 clocks, bank 0 first
  Probe probe(params_, kLabMemoryMhz);
  probe.read(100, 0, 1);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kRefresh, 0), 100);
  EXPECT_EQ(probe.at(Command::kActivate, 0), 100 + n());
}

TEST_P(ChannelDelay, PrechargeToRefresh) {
  params_.t_rp_ns = n();
  params_.t_refi_ns = 1600;
  Probe probe(params_, kLabMemoryMhz);
  probe.read(0, 0, 1);
  probe.run(kLater);
  EXPECT_EQ(probe.at(Command::kPrecharge, 0), 100);
  EXPECT_EQ(probe.at(Command::kRefresh, 0), 100 + n());
}

}  // namespace
}  // namespace tcsim::dram::test
