#include "sim/validate/gpu_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/config/load.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_of.hpp"

namespace tcsim::validate {
namespace {

TEST(GpuNames, LeadToAMachineFile) {
  const GpuNames names;
  EXPECT_EQ(names.find("V100-SXM2-16GB")->machine, "v100");
  EXPECT_EQ(names.find("A100-SXM4-80GB")->machine, "a100-80gb");
  EXPECT_TRUE(names.find("A100-SXM4-80GB")->overrides.empty());
  EXPECT_EQ(names.find("A800-SXM-80GB")->machine, "a100-80gb");
  EXPECT_EQ(names.find("RTX3070")->machine, "rtx3070");
  EXPECT_EQ(names.find("RTX3090")->machine, "rtx3090");
  EXPECT_EQ(names.find("TITAN-RTX")->machine, "titan-rtx");
}

TEST(GpuNames, ChangeWhatAVariantHasOfItsOwn) {
  EXPECT_EQ(GpuNames().find("V100-PCIE-16GB")->overrides,
            std::vector<std::string>{"clocks.sm_mhz=1380"});
}

TEST(GpuNames, OthersHaveNoMachine) {
  EXPECT_EQ(GpuNames().find("RTX4090").has_value(), false);
  EXPECT_EQ(GpuNames().find("").has_value(), false);
}

/// A folder with copies of the T4, of which the second has other names.
class OwnBoards : public testing::Test {
 protected:
  void SetUp() override { setenv("TCSIM_CONFIGS", folder_.path().c_str(), 1); }
  void TearDown() override { unsetenv("TCSIM_CONFIGS"); }
  void write(const std::string& machine, const std::string& measured_as) {
    std::string text = test::text_of(shipped_);
    const std::string shipped = "measured_as: [T4] ";
    text.replace(text.find(shipped), shipped.size(), "measured_as: " + measured_as + " ");
    std::ofstream(folder_.path() / (machine + ".yaml")) << text;
  }

  const test::TemporaryDirectory folder_;
  const std::filesystem::path shipped_ = config::configs_folder() / "t4.yaml";
};

TEST_F(OwnBoards, AreFoundByTheNamesThatTheirFilesList) {
  write("a", "[]");
  write("b", "[Mine, \"Mine-OC clocks.sm_mhz=1600 gpu.sms=38\"]");
  const GpuNames names;
  EXPECT_FALSE(names.find("T4").has_value());
  EXPECT_EQ(names.find("Mine")->machine, "b");
  EXPECT_THAT(names.find("Mine-OC")->overrides,
              testing::ElementsAre("clocks.sm_mhz=1600", "gpu.sms=38"));
}

TEST_F(OwnBoards, OfTheSameNameAreRefused) {
  write("a", "[Mine]");
  write("b", "[Other, Mine]");
  EXPECT_THAT(test::refusal([&] { const GpuNames names; }),
              testing::EndsWith("b.yaml: descriptive.measured_as: 'Mine' is also a name of a"));
}

}  // namespace
}  // namespace tcsim::validate
