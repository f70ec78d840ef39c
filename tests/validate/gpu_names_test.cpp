#include "sim/validate/gpu_names.hpp"

#include <gtest/gtest.h>

namespace tcsim::validate {
namespace {

TEST(GpuNames, LeadToAMachineFile) {
  EXPECT_EQ(gpu_named("V100-SXM2-16GB")->machine, "v100");
  EXPECT_EQ(gpu_named("A100-SXM4-80GB")->machine, "a100-80gb");
  EXPECT_TRUE(gpu_named("A100-SXM4-80GB")->overrides.empty());
  EXPECT_EQ(gpu_named("A800-SXM-80GB")->machine, "a100-80gb");
}

TEST(GpuNames, ChangeWhatAVariantHasOfItsOwn) {
  EXPECT_EQ(gpu_named("V100-PCIE-16GB")->overrides, std::vector<std::string>{"clocks.sm_mhz=1380"});
}

TEST(GpuNames, OthersHaveNoMachine) { EXPECT_EQ(gpu_named("RTX3070"), std::nullopt); }

}  // namespace
}  // namespace tcsim::validate
