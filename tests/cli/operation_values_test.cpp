#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/tensor_file/npy.hpp"
#include "tests/cli/tcsim_process.hpp"
#include "workloads/kernels/vector/vector_operation.hpp"

namespace tcsim::cli {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

class OperationValues : public ::testing::Test {
 protected:
  static Json run_json(const std::string& workload, const Words& more = {},
                       const std::string& machine = "lab-tiny") {
    Words words{"run", workload, "-m", machine, "--values", "-f", "json", "--no-files"};
    words.insert(words.end(), more.begin(), more.end());
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, 0) << workload << ": " << result.errors;
    return Json::parse(result.output)["values"];
  }

  static void expect_within_bound(const Json& result) {
    EXPECT_EQ(result["elements_beyond_bound"], 0);
    EXPECT_GT(result["error"]["elements"], 0);
    EXPECT_LE(result["largest_share_of_bound"], 1);
  }

  TemporaryHome home_;
};

TEST_F(OperationValues, OfConvolutionsAreExactForSmallNumbersInEveryPass) {
  for (const char* pass : {"fwd", "dgrad", "wgrad"}) {
    const Json values =
        run_json(std::string("conv:n=1,hw=6,c=16,k=24,rs=3,pad=1,out=fp32,pass=") + pass,
                 {"--inputs", "integers"});
    for (const auto& [name, result] : values["results"].items()) {
      EXPECT_EQ(result["error"]["wrong"], 0) << pass << " " << name;
      EXPECT_TRUE(result["error_with_conversion"].is_null());
    }
  }
}

TEST_F(OperationValues, HaveNoBoundWhereSubnormalsAreFlushed) {
  const std::string words = "conv:n=1,hw=6,c=16,k=24,rs=3";
  const std::string flushed = "numerics.subnormals=flushed";
  const Json y = run_json(words, {"--set", flushed})["results"]["y"];
  EXPECT_TRUE(y["largest_share_of_bound"].is_null());
  EXPECT_GT(y["error"]["wrong"], 0);
  const ChildResult result =
      tcsim({"run", words, "-m", "lab-tiny", "--values", "--set", flushed, "-o", "out"});
  EXPECT_THAT(result.output, HasSubstr("    y in fp16            no bound: subnormals"));
  EXPECT_THAT(text_of("out/report.html"), HasSubstr("y: its rounding has no bound; against exact"));
}

TEST_F(OperationValues, OfConvolutionsStayWithinTheirBoundForEveryAlgorithm) {
  for (const char* algorithm : {"implicit_gemm", "im2col_gemm", "winograd_2x2", "winograd_4x4"}) {
    const Json values =
        run_json(std::string("conv:n=1,hw=8,c=16,k=16,rs=3,pad=1,algo=") + algorithm);
    expect_within_bound(values["results"]["y"]);
    EXPECT_GT(values["conversion"]["x"]["changed"], 0);
  }
}

TEST_F(OperationValues, OfConvolutionsOnCudaCoresStayWithinTheirBound) {
  for (const char* algorithm : {"fft", "winograd_2x2_fused"})
    expect_within_bound(
        run_json(std::string("conv:n=1,hw=10,c=8,k=16,rs=3,pad=1,dtype=fp32,algo=") + algorithm,
                 {"--unit", "cuda-core"}, "a100")["results"]["y"]);
}

TEST_F(OperationValues, FollowBiasReluAndPool) {
  const Json values = run_json("conv:n=1,hw=8,c=16,k=16,rs=3,pad=1,post=scale+bias+relu+pool");
  expect_within_bound(values["results"]["y"]);
  EXPECT_EQ(values["results"]["y"]["extents"], Json({1, 4, 4, 16}));
  EXPECT_GT(values["results"]["y"]["specials"]["zeros"], 0);
}

TEST_F(OperationValues, OfProductsFollowTheirEpilogue) {
  const Json values = run_json("gemm:m=40,n=24,k=32,scale=1,bias=1,residual=1,act=relu");
  expect_within_bound(values["results"]["D"]);
  EXPECT_GT(values["results"]["D"]["specials"]["zeros"], 100);
  for (const char* input : {"A", "B", "scale", "bias", "C"})
    EXPECT_TRUE(values["conversion"].contains(input)) << input;
}

TEST_F(OperationValues, OfAttentionComeWithTheLogarithmsOfItsSums) {
  const Json fused = run_json("attn:heads=1,n=40,d=32,causal=1");
  expect_within_bound(fused["results"]["O"]);
  expect_within_bound(fused["results"]["LSE"]);
  const Json unfused = run_json("attn:heads=1,n=40,d=32,algo=unfused");
  expect_within_bound(unfused["results"]["O"]);
  EXPECT_FALSE(unfused["results"].contains("LSE"));
}

TEST_F(OperationValues, OfAttentionStayWithinTheirBoundInEveryFormat) {
  for (const char* words : {"bf16", "tf32", "int8", "tf32,algo=unfused"}) {
    const Json values =
        run_json(std::string("attn:heads=2,kvheads=1,n=72,d=32,causal=1,dtype=") + words);
    expect_within_bound(values["results"]["O"]);
    if (values["results"].contains("LSE")) expect_within_bound(values["results"]["LSE"]);
  }
}

TEST_F(OperationValues, OfABackwardPassAreThreeGradients) {
  const Json values = run_json("attn:heads=2,n=40,d=32,causal=1,pass=bwd");
  for (const char* gradient : {"dQ", "dK", "dV"}) expect_within_bound(values["results"][gradient]);
}

TEST_F(OperationValues, OfVectorOperationsStayWithinTheirBound) {
  for (const kernels::VectorTraits& operation : kernels::vector_operations()) {
    const bool is_of_hopper = operation.output == kernels::Element::kE4m3;
    const Json values = run_json(std::string(operation.name) + ":rows=3,cols=70", {},
                                 is_of_hopper ? "h100" : "lab-tiny");
    expect_within_bound(values["results"]["D"]);
  }
}

TEST_F(OperationValues, OfPoolingStayWithinTheirBound) {
  for (const char* words :
       {"max_pool:n=2,hw=9,c=6,rs=3,stride=2,pad=1", "avg_pool:n=1,hw=7,c=10,rs=7",
        "avg_pool:n=1,hw=9,c=4,rs=3,stride=2,ceil=1,dtype=fp32",
        "avg_pool:n=1,hw=9,c=5,rs=3,stride=2,pad=1,count_pad=0", "upsample:n=2,hw=7x5,c=24,rs=2x3",
        "upsample:n=1,hw=3,c=5,rs=2,dtype=fp32"})
    expect_within_bound(run_json(words)["results"]["y"]);
}

TEST_F(OperationValues, AreWrittenUnderTheNamesOfTheResults) {
  const ChildResult result =
      tcsim({"run", "attn:heads=2,n=16,d=32", "-m", "lab-tiny", "--values", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("0 of 1,024 elements beyond their bound"));
  EXPECT_THAT(result.output, HasSubstr("o.npy  lse.npy"));
  EXPECT_EQ(tensor_file::read_npy("out/o.npy").shape, (std::vector<std::int64_t>{1, 16, 2, 32}));
  EXPECT_EQ(tensor_file::read_npy("out/lse.npy").shape, (std::vector<std::int64_t>{1, 2, 16}));
}

TEST_F(OperationValues, DrawTheirInputs) {
  for (const Words& words : {Words{"--a", "a.npy"}, Words{"--quantize", "per-tensor"}}) {
    Words all{"run", "conv:n=1,hw=6,c=16,k=16,rs=3", "-m", "lab-tiny", "--values"};
    all.insert(all.end(), words.begin(), words.end());
    const ChildResult result = tcsim(all);
    EXPECT_EQ(result.status, 3) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("of a gemm"));
  }
}

}  // namespace
}  // namespace tcsim::cli
