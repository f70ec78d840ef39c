#include "sim/config/target.hpp"

#include <gtest/gtest.h>

#include "sim/config/load.hpp"

namespace tcsim::config {
namespace {

kernels::GemmProblem problem(kernels::Element element, kernels::Unit unit) {
  kernels::GemmProblem result;
  result.input = element;
  result.unit = unit;
  return result;
}

double macs(const std::string& machine, kernels::Element element, kernels::Unit unit) {
  return make_target(load_machine(machine), problem(element, unit)).macs_per_cycle_per_sm;
}

TEST(Target, CountsTheMultiplyAddsOfTheUnitAskedFor) {
  using kernels::Element;
  using kernels::Unit;
  EXPECT_EQ(macs("v100", Element::kFp16, Unit::kTensor), 512);
  EXPECT_EQ(macs("a100", Element::kFp16, Unit::kTensor), 1024);
  EXPECT_EQ(macs("a100", Element::kTf32, Unit::kTensor), 512);
  EXPECT_EQ(macs("a100", Element::kInt8, Unit::kTensor), 2048);
  EXPECT_EQ(macs("a100", Element::kFp64, Unit::kTensor), 64);
  EXPECT_EQ(macs("a100", Element::kFp32, Unit::kCudaCore), 64);
  EXPECT_EQ(macs("a100", Element::kFp16, Unit::kCudaCore), 256);
  EXPECT_EQ(macs("a100", Element::kBf16, Unit::kCudaCore), 128);
  EXPECT_EQ(macs("v100", Element::kInt8, Unit::kCudaCore), 256);
  EXPECT_EQ(macs("p100", Element::kFp64, Unit::kCudaCore), 32);
}

TEST(Target, GivesZeroForWhatTheMachineLacks) {
  using kernels::Element;
  using kernels::Unit;
  EXPECT_EQ(macs("p100", Element::kFp16, Unit::kTensor), 0);
  EXPECT_EQ(macs("v100", Element::kBf16, Unit::kTensor), 0);
  EXPECT_EQ(macs("v100", Element::kBf16, Unit::kCudaCore), 0);
  EXPECT_EQ(macs("a100", Element::kFp32, Unit::kTensor), 0);
}

TEST(Target, StatesBandwidthsInSmCycles) {
  const kernels::Target v100 = make_target(load_machine("v100"), {});
  EXPECT_NEAR(v100.dram_bytes_per_cycle, 898.048 / 1.53, 1e-9);
  EXPECT_NEAR(v100.l2_bytes_per_cycle, 6 * 311, 1e-9);
  const kernels::Target slow_l2 = make_target(load_machine("v100", {"clocks.l2_mhz=765"}), {});
  EXPECT_NEAR(slow_l2.l2_bytes_per_cycle, 3 * 311, 1e-9);
  EXPECT_NEAR(slow_l2.sm_write_bytes_per_cycle, 16, 1e-9);
}

TEST(Target, IsThatOfTheBoostClockWhateverARunSettlesAt) {
  const kernels::Target boost = make_target(load_machine("a100"), {});
  Machine settled = load_machine("a100", {"clocks.sm_mhz=900"});
  const kernels::Target locked = make_target(settled, {});
  EXPECT_GT(locked.dram_bytes_per_cycle, boost.dram_bytes_per_cycle);
  settled.clocks.boost_mhz = 1410;
  const kernels::Target target = make_target(settled, {});
  EXPECT_EQ(target.dram_bytes_per_cycle, boost.dram_bytes_per_cycle);
  EXPECT_EQ(target.l2_bytes_per_cycle, boost.l2_bytes_per_cycle);
  EXPECT_EQ(target.sm_write_bytes_per_cycle, boost.sm_write_bytes_per_cycle);
  EXPECT_EQ(target.launch_cycles, boost.launch_cycles);
}

TEST(Target, CarriesTheLimitsOfAnSm) {
  const kernels::Target t4 = make_target(load_machine("t4"), {});
  EXPECT_EQ(t4.architecture, "turing");
  EXPECT_EQ(t4.sms, 40);
  EXPECT_EQ(t4.max_warps_per_sm, 32);
  EXPECT_EQ(t4.max_ctas_per_sm, 16);
  EXPECT_EQ(t4.shared_bytes_per_sm, 65536);
  EXPECT_EQ(t4.l2_bytes, 4194304);
  const kernels::Target a100 = make_target(load_machine("a100"), {});
  EXPECT_EQ(a100.shared_bytes_per_cta, 163 * 1024);
  EXPECT_EQ(a100.shared_reserved_per_cta, 1024);
  EXPECT_EQ(a100.registers_per_sm, 65536);
  EXPECT_EQ(a100.max_registers_per_thread, 255);
  EXPECT_EQ(a100.max_threads_per_cta, 1024);
  EXPECT_EQ(a100.sub_cores, 4);
}

}  // namespace
}  // namespace tcsim::config
