#include <gmock/gmock.h>

#include "tests/functional/gemm_values.hpp"
#include "tests/functional/warpgroup_values.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::Layout;
using ::testing::HasSubstr;

constexpr const char* kRow = "1x4x1024_s1_w1x4_gemv";    // cuBLAS's gemvx
constexpr const char* kColumn = "8x1x512_s1_w4x1_gemv";  // its gemv2T

GemmProblem row_vector(Element input, std::int64_t n, std::int64_t k) {
  GemmProblem problem{.m = 1, .n = n, .k = k};
  problem.input = input;
  problem.output = input;
  return problem;
}

TEST(Gemv, EqualsTheReferenceInEveryFormat) {
  for (const Element input : {Element::kFp16, Element::kBf16, Element::kFp32}) {
    GemmProblem problem = row_vector(input, 9, 8 * 1024 + 712);
    expect_reference_product(on_hopper(problem, kRow));
    problem.output = Element::kFp32;
    problem.k = 40;
    expect_reference_product(on_hopper(problem, "1x4x512_s1_w1x2_gemv"));
  }
}

TEST(Gemv, TakesAColumnAndAnyLayoutOfTheVector) {
  GemmProblem problem{.m = 21, .n = 1, .k = 1336};
  expect_reference_product(on_hopper(problem, kColumn));
  problem.layout_b = Layout::kNormal;
  expect_reference_product(on_hopper(problem, kColumn));
  GemmProblem row = row_vector(Element::kFp16, 6, 264);
  row.layout_a = Layout::kTransposed;
  expect_reference_product(on_hopper(row, kRow));
}

TEST(Gemv, SaysWhatItIsNotFor) {
  GemmProblem problem = row_vector(Element::kFp16, 64, 256);
  problem.m = 2;
  EXPECT_THAT(refusal_on_hopper(problem, kRow), HasSubstr("m or n must be 1"));
  problem.m = 1;
  problem.k = 252;
  EXPECT_THAT(refusal_on_hopper(problem, kRow), HasSubstr("a multiple of 16 bytes"));
  problem.k = 256;
  problem.layout_b = Layout::kNormal;
  EXPECT_THAT(refusal_on_hopper(problem, kRow), HasSubstr("needs the matrix along k"));
  problem.layout_b = Layout::kTransposed;
  EXPECT_THAT(refusal_on_hopper(problem, kColumn), HasSubstr("1 where the product is"));
  EXPECT_THAT(refusal_on_hopper(problem, "1x4x128_s1_w1x4_gemv"), HasSubstr("multiple of 256"));
  EXPECT_THAT(refusal_on_hopper(problem, "1x4x1024_s64_w1x4_gemv"), HasSubstr("one stage"));
  EXPECT_THAT(refusal_on_hopper(problem, "1x64x1024_s1_w1x4_gemv"), HasSubstr("registers"));
  EXPECT_THAT(refusal_on_hopper(problem, "1x4x1024_s1_w1x4_gemv_noswizzle"),
              HasSubstr("not swapped, halfboxes, waited or noswizzle"));
  for (const Element output : {Element::kInt32, Element::kInt8, Element::kE4m3, Element::kFp64}) {
    problem.output = output;
    EXPECT_THAT(refusal_on_hopper(problem, kRow),
                HasSubstr("fp16, bf16 or fp32 operands and results"))
        << kernels::element_name(output);
  }
  problem.output = Element::kFp16;
  problem.epilogue.bias = true;
  EXPECT_THAT(refusal_on_hopper(problem, kRow), HasSubstr("no epilogue"));
}

}  // namespace
}  // namespace tcsim::functional::testing
