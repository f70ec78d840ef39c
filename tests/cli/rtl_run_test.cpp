#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

class RtlRun : public ::testing::Test {
 protected:
  static ChildResult run(Words words) {
    const Words tail{"--tensor-core", "rtl", "-f", "json", "--no-files"};
    words.insert(words.begin(), "run");
    words.insert(words.end(), tail.begin(), tail.end());
    return tcsim(words);
  }

  TemporaryHome home_;
};

TEST_F(RtlRun, HasTheCyclesAndBitsOfTheModelInEveryFormat) {
  const std::pair<const char*, const char*> wishes[] = {{"gemm:64", "lab-tiny"},
                                                        {"gemm:64,dtype=bf16", "lab-tiny"},
                                                        {"gemm:64,dtype=tf32", "lab-tiny"},
                                                        {"gemm:64,dtype=int8", "lab-tiny"},
                                                        {"gemm:m=72,n=80,k=64,acc=fp16", "a100"},
                                                        {"gemm:64", "v100"},
                                                        {"gemm:64,acc=fp16", "v100"}};
  for (const auto& [workload, machine] : wishes) {
    const ChildResult result = run({workload, "-m", machine});
    ASSERT_EQ(result.status, 0) << workload << result.errors;
    const Json core = Json::parse(result.output)["tensor_core"];
    EXPECT_TRUE(core["agrees"]) << workload;
    EXPECT_EQ(core["rtl_cycles"], core["model_cycles"]) << workload;
    EXPECT_TRUE(core["same_counters"]) << workload;
    EXPECT_GT(core["mma_instructions"], 0) << workload;
    EXPECT_EQ(core["wrong_values"], 0) << workload;
  }
}

TEST_F(RtlRun, TakesTheKernelsOfSplitKWithAWarmL2AndTheirValues) {
  const ChildResult result = run({"gemm:m=72,n=40,k=520", "-m", "a100", "--tile",
                                  "64x64x64_s5_w2x2_splitk2", "--warm-l2", "--values"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json json = Json::parse(result.output);
  EXPECT_TRUE(json["tensor_core"]["agrees"]);
  EXPECT_EQ(json["values"]["differences_from_reference"], 0);
}

/// The products of warpgroups go in parts through the units of four sub-cores.
TEST_F(RtlRun, HasTheCyclesAndBitsOfTheModelInProductsOfWarpgroups) {
  for (const char* workload :
       {"gemm:64", "gemm:64,dtype=e4m3", "gemm:m=72,n=80,k=40,acc=fp16", "gemm:64,dtype=int8"}) {
    const ChildResult result = run({workload, "-m", "h100", "--library", "cutlass-3", "--values"});
    ASSERT_EQ(result.status, 0) << workload << result.errors;
    const Json json = Json::parse(result.output);
    EXPECT_EQ(json["tensor_core"]["unit"], "warp_mma_hopper") << workload;
    EXPECT_TRUE(json["tensor_core"]["agrees"]) << workload;
    EXPECT_EQ(json["values"]["differences_from_reference"], 0) << workload;
  }
}

TEST_F(RtlRun, FindsPassesOfWarpgroupsThatTheMachineFileHasFaster) {
  const ChildResult result =
      run({"gemm:64", "-m", "h100", "--library", "cutlass-3", "--set", "sm.tensor.fp16_macs=1024",
           "--set", "sm.l1.bytes_per_cycle=512"});
  EXPECT_EQ(result.status, 1) << result.errors;
  const Json core = Json::parse(result.output)["tensor_core"];
  EXPECT_GT(core["rtl_cycles"], core["model_cycles"]);
}

/// Also where the program, assembled for that machine file, issues no faster than the file allows.
TEST_F(RtlRun, FailsIfTheMachineFileIsOneCycleOff) {
  const ChildResult result = run({"gemm:64", "-m", "lab-tiny", "--set",
                                  "sm.tensor.instructions.HMMA.16816.F32.min_interval_cycles=9"});
  EXPECT_EQ(result.status, 1);
  const Json core = Json::parse(result.output)["tensor_core"];
  EXPECT_FALSE(core["agrees"]);
  EXPECT_THAT(core["first_difference"].get<std::string>(),
              EndsWith("; counters differ, first "
                       "/counters/gpu/children/sm/children/sub_core/counters/"
                       "cycles_dependence_fixed/value of stats.json"));
}

TEST_F(RtlRun, NamesTheFirstMmaThatTheUnitTakesACycleLater) {
  const ChildResult result =
      run({"gemm:64", "-m", "lab-tiny", "--set", "sm.tensor.fp16_macs=293"});  // 7 cycles, not 8
  EXPECT_EQ(result.status, 1);
  const Json core = Json::parse(result.output)["tensor_core"];
  EXPECT_GT(core["rtl_cycles"], core["model_cycles"]);
  EXPECT_THAT(core["first_difference"].get<std::string>(), HasSubstr("HMMA.16816.F32 of warp"));
}

TEST_F(RtlRun, SaysWhatItDoesNotCover) {
  const ChildResult turing = run({"gemm:64", "-m", "t4"});
  EXPECT_EQ(turing.status, 3);
  EXPECT_THAT(turing.errors,
              HasSubstr("t4: a pass of 4x4x4 has 4 fp16 products, but 8 join a sum"));
  EXPECT_EQ(run({"gemm:64", "-m", "a100", "--unit", "cuda-core"}).status, 3);
  const ChildResult other =
      run({"gemm:64", "-m", "h100", "--library", "cutlass-3", "--set", "sm.tensor.core=8x8x16"});
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.errors, HasSubstr("products of warpgroups run in RTL on one core of 8x4x16"));
  EXPECT_EQ(run({"gemm:64", "-m", "a100", "--clock", "power"}).status, 2);
  const ChildResult vhdl = tcsim({"run", "gemm:64", "-m", "a100", "--tensor-core", "vhdl"});
  EXPECT_EQ(vhdl.status, 2);
  EXPECT_THAT(vhdl.errors, HasSubstr("'vhdl' is not one of model, rtl"));
}

TEST_F(RtlRun, SaysEverythingThatItDoesNotCover) {
  const ChildResult result = run({"gemm:64", "-m", "lab-tiny", "--set", "numerics.fp16.products=3",
                                  "--set", "numerics.bf16.products=3"});
  EXPECT_EQ(result.status, 3);
  for (const char* format : {"fp16", "bf16"})
    EXPECT_THAT(result.errors, HasSubstr(std::string("lab-tiny: a pass of 8x4x8 has 8 ") + format +
                                         " products, but 3 join a sum at once"));
}

/// Two cores of 8x4x8 would add the products of two blocks of k to the same sums at once.
TEST_F(RtlRun, RefusesWeightStationaryCoresWithDifferentK) {
  const ChildResult result =
      run({"gemm:64", "-m", "lab-tiny", "--set", "sm.tensor.instruction_timing=derived", "--set",
           "sm.tensor.organisation=weight_stationary", "--set", "sm.tensor.fill_cycles=8", "--set",
           "sm.tensor.drain_cycles=5", "--set", "sm.tensor.cores_per_sub_core=2"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.errors,
              HasSubstr("weight-stationary cores with blocks of B of different k at once"));
}

}  // namespace
}  // namespace tcsim::cli
