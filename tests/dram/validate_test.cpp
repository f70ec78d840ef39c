#include "models/dram/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/dram/machines.hpp"

namespace tcsim::dram::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DramValidate, AcceptsTheMachinesOfTheTests) {
  EXPECT_THAT(validate(v100_channel, kV100MemoryMhz), IsEmpty());
  EXPECT_THAT(validate(h100_channel, kH100MemoryMhz), IsEmpty());
  EXPECT_THAT(validate(t4_channel, kT4MemoryMhz), IsEmpty());
  EXPECT_THAT(validate(lab_channel, kLabMemoryMhz), IsEmpty());
}

TEST(DramValidate, NamesTheClockThatIsNotPositive) {
  EXPECT_THAT(validate(v100_channel, 0),
              ElementsAre(AllOf(HasSubstr("memory_mhz is 0"), HasSubstr("from 1 to 100000"))));
}

TEST(DramValidate, NamesTheNegativeTime) {
  DramParams params = v100_channel;
  params.t_rp_ns = -1;
  EXPECT_THAT(validate(params, kV100MemoryMhz), ElementsAre(HasSubstr("t_rp_ns is -1, but must")));
}

TEST(DramValidate, RefusesATimeThatIsNotANumber) {
  DramParams params = v100_channel;
  params.t_faw_ns = std::nan("");
  EXPECT_THAT(validate(params, kV100MemoryMhz), ElementsAre(HasSubstr("t_faw_ns is nan")));
}

TEST(DramValidate, NamesTheWatermarkThatIsNoPartOfTheQueue) {
  DramParams params = v100_channel;
  params.write_low_watermark_percent = 80;
  EXPECT_THAT(validate(params, kV100MemoryMhz),
              ElementsAre(AllOf(HasSubstr("write_high_watermark_percent is 75"),
                                HasSubstr("from write_low_watermark_percent to 100"))));
  params.write_high_watermark_percent = 101;
  params.write_low_watermark_percent = 100;
  params.row_hit_cap = -1;
  EXPECT_THAT(
      validate(params, kV100MemoryMhz),
      ElementsAre(HasSubstr("row_hit_cap is -1"), HasSubstr("write_low_watermark_percent is 100"),
                  HasSubstr("write_high_watermark_percent is 101")));
}

TEST(DramValidate, ReportsEveryMistakeAtOnce) {
  DramParams params = v100_channel;
  params.bank_groups = 3;
  params.queue_entries = 0;
  params.burst_length_beats = 5;
  EXPECT_THAT(validate(params, kV100MemoryMhz),
              ElementsAre(HasSubstr("burst_length_beats is 5, but must be even"),
                          HasSubstr("bank_groups is 3, but must be a power of two"),
                          HasSubstr("queue_entries is 0")));
}

TEST(DramValidate, RefusesALongColumnDelayBelowTheShortOne) {
  DramParams params = v100_channel;
  params.t_ccd_l_clocks = 1;
  EXPECT_THAT(validate(params, kV100MemoryMhz),
              ElementsAre(AllOf(HasSubstr("t_ccd_l_clocks is 1"), HasSubstr("t_ccd_s_clocks"))));
}

TEST(DramValidate, RefusesAColumnDelayBetweenStackIdsBelowTheShortOne) {
  DramParams params = h100_channel;
  params.t_ccd_r_clocks = 3;
  EXPECT_THAT(validate(params, kH100MemoryMhz),
              ElementsAre(AllOf(HasSubstr("t_ccd_r_clocks is 3"), HasSubstr("t_ccd_s_clocks"))));
  params.stack_ids = 1;
  EXPECT_THAT(validate(params, kH100MemoryMhz), IsEmpty());
}

TEST(DramValidate, RefusesMoreStackIdsThanBankGroups) {
  DramParams params = v100_channel;
  params.stack_ids = 8;
  EXPECT_THAT(validate(params, kV100MemoryMhz),
              ElementsAre(AllOf(HasSubstr("bank_groups is 4"), HasSubstr("stack_ids"))));
}

TEST(DramValidate, RefusesABurstThatIsNotAPowerOfTwo) {
  DramParams params = v100_channel;
  params.channel_width_bits = 24;
  EXPECT_THAT(validate(params, kV100MemoryMhz),
              ElementsAre(HasSubstr("channel_width_bits / 8 * burst_length_beats is 12")));
}

TEST(DramValidate, RefusesARowSmallerThanABurst) {
  DramParams params = v100_channel;
  params.row_bytes = 16;
  EXPECT_THAT(validate(params, kV100MemoryMhz),
              ElementsAre(HasSubstr("row_bytes is 16, but must be at least one burst")));
}

TEST(DramValidate, RefusesMoreBanksThanAWordHasBits) {
  DramParams params = v100_channel;
  params.banks_per_group = 32;
  EXPECT_THAT(validate(params, kV100MemoryMhz),
              ElementsAre(HasSubstr("bank_groups * banks_per_group is 128")));
}

TEST(DramValidate, RefusesRefreshesThatLeaveNoTimeForData) {
  DramParams params = v100_channel;
  params.t_refi_ns = 400;
  EXPECT_THAT(validate(params, kV100MemoryMhz),
              ElementsAre(AllOf(HasSubstr("t_refi_ns is 400"), HasSubstr("t_rfc_ns"))));
}

}  // namespace
}  // namespace tcsim::dram::test
