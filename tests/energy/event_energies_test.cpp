#include "models/energy/event_energies.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tcsim::energy {
namespace {

constexpr EnergyParams kParams{.limit_w = 300,
                               .tensor_mhz = 0,
                               .voltage_exponent = 1,
                               .constant_w = 50,
                               .tensor_control_pj_per_flop = 0.4,
                               .tensor_data_pj_per_flop = 0.2,
                               .vector_pj_per_flop = 6,
                               .l1_control_pj_per_bit = 1,
                               .l1_data_pj_per_bit = 0.5,
                               .l2_control_pj_per_bit = 3,
                               .l2_data_pj_per_bit = 1,
                               .dram_control_pj_per_bit = 8,
                               .dram_data_pj_per_bit = 4};

TEST(EventEnergies, AreControlPlusDataPerByte) {
  const EventEnergies random = event_energies(kParams, "fp16", kRandomData, 1);
  EXPECT_DOUBLE_EQ(random.tensor_pj_per_flop, 0.6);
  EXPECT_DOUBLE_EQ(random.vector_pj_per_flop, 6);
  EXPECT_DOUBLE_EQ(random.l1_pj_per_byte, 12);
  EXPECT_DOUBLE_EQ(random.l2_pj_per_byte, 32);
  EXPECT_DOUBLE_EQ(random.dram_pj_per_byte, 96);
  const EventEnergies constant = event_energies(kParams, "fp16", kConstantData, 1);
  EXPECT_DOUBLE_EQ(constant.tensor_pj_per_flop, 0.4);
  EXPECT_DOUBLE_EQ(constant.dram_pj_per_byte, 64);
}

TEST(EventEnergies, FallWithTheSquareOfTheClockExceptForDram) {
  const EventEnergies slow = event_energies(kParams, "fp16", kRandomData, 0.5);
  EXPECT_DOUBLE_EQ(slow.tensor_pj_per_flop, 0.15);
  EXPECT_DOUBLE_EQ(slow.vector_pj_per_flop, 1.5);
  EXPECT_DOUBLE_EQ(slow.l1_pj_per_byte, 3);
  EXPECT_DOUBLE_EQ(slow.l2_pj_per_byte, 8);
  EXPECT_DOUBLE_EQ(slow.dram_pj_per_byte, 96);
}

TEST(EventEnergies, StayWhereTheVoltageDoes) {
  EnergyParams params = kParams;
  const auto slow = [&] { return event_energies(params, "fp16", kRandomData, 0.25); };
  params.voltage_exponent = 0;
  EXPECT_DOUBLE_EQ(slow().tensor_pj_per_flop, 0.6);
  params.voltage_exponent = 0.25;
  EXPECT_DOUBLE_EQ(slow().tensor_pj_per_flop, 0.3);
}

TEST(EventEnergies, IntegersAreCheapAndWideTypesDear) {
  const auto tensor = [](const char* dtype) {
    return event_energies(kParams, dtype, kRandomData, 1).tensor_pj_per_flop;
  };
  EXPECT_LT(tensor("int8"), tensor("fp16") / 5);
  EXPECT_DOUBLE_EQ(tensor("bf16"), tensor("fp16"));
  EXPECT_DOUBLE_EQ(tensor("tf32"), 2 * tensor("fp16"));
  for (const char* fp8 : {"fp8", "e4m3", "e5m2"})  // peaks have one name for both formats
    EXPECT_DOUBLE_EQ(tensor(fp8), tensor("fp16") / 2);
  EXPECT_THROW(tensor("e3m4"), std::invalid_argument);
}

TEST(ClockAtLimit, DrawsTheLimit) {
  for (const double power_w : {600.0, 300.0}) {
    const double ratio = clock_ratio_at_limit(power_w, 100, 400);
    EXPECT_EQ(power_w > 400, ratio < 1);
    EXPECT_NEAR(100 + (power_w - 100) * ratio * ratio * ratio, 400, 1e-9);
  }
  EXPECT_DOUBLE_EQ(clock_ratio_at_limit(400, 50, 400), 1);
}

}  // namespace
}  // namespace tcsim::energy
