#include "workloads/import/workload.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "workloads/trace/input_error.hpp"
#include "workloads/trace/text_file.hpp"

namespace tcsim::workload {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::Layout;

GemmProblem gemm(const std::string& words) {
  const std::vector<Workload> all = parse_workload(words);
  EXPECT_EQ(all.size(), 1U);
  return std::get<GemmProblem>(all.at(0).work);
}

std::string messages(const std::string& words) {
  try {
    (void)parse_workload(words);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string reason(const std::string& words) {
  return std::get<Unsupported>(parse_workload(words).at(0).work).reason;
}

TEST(GemmWords, TakeOneNumberForASquare) {
  const GemmProblem problem = gemm("gemm:4096");
  EXPECT_EQ(problem.m, 4096);
  EXPECT_EQ(problem.n, 4096);
  EXPECT_EQ(problem.k, 4096);
  EXPECT_EQ(problem.batch, 1);
}

TEST(GemmWords, TakeEveryKeyInAnyOrder) {
  const GemmProblem problem =
      gemm("gemm:layout=tn,batch=4,out=fp16,acc=fp32,dtype=bf16,k=64,n=512,m=4096");
  EXPECT_EQ(problem.m, 4096);
  EXPECT_EQ(problem.n, 512);
  EXPECT_EQ(problem.k, 64);
  EXPECT_EQ(problem.batch, 4);
  EXPECT_EQ(problem.input, Element::kBf16);
  EXPECT_EQ(problem.accumulate, Element::kFp32);
  EXPECT_EQ(problem.output, Element::kFp16);
  EXPECT_EQ(problem.layout_a, Layout::kTransposed);
  EXPECT_EQ(problem.layout_b, Layout::kNormal);
}

TEST(GemmWords, TakeKeysBehindASquare) {
  const GemmProblem problem = gemm("gemm:4096,dtype=fp16,acc=fp16");
  EXPECT_EQ(problem.k, 4096);
  EXPECT_EQ(problem.accumulate, Element::kFp16);
}

TEST(GemmWords, DefaultToTheLinearLayerOfAFramework) {
  const GemmProblem problem = gemm("gemm:64");
  EXPECT_EQ(problem.layout_a, Layout::kNormal);
  EXPECT_EQ(problem.layout_b, Layout::kTransposed);
  EXPECT_EQ(problem.input, Element::kFp16);
  EXPECT_EQ(problem.accumulate, Element::kFp32);
  EXPECT_EQ(problem.output, Element::kFp16);
}

TEST(GemmWords, DeriveTypesThatAreNotGiven) {
  EXPECT_EQ(gemm("gemm:64,dtype=int8").accumulate, Element::kInt32);
  EXPECT_EQ(gemm("gemm:64,dtype=int8").output, Element::kInt32);
  EXPECT_EQ(gemm("gemm:64,dtype=tf32").output, Element::kFp32);
  EXPECT_EQ(gemm("gemm:64,dtype=bf16").output, Element::kBf16);
  EXPECT_EQ(gemm("gemm:64,dtype=fp64").accumulate, Element::kFp64);
  EXPECT_EQ(gemm("gemm:64,dtype=FP32").unit, kernels::Unit::kCudaCore);
}

TEST(GemmWords, AreWrittenInOneFormThatReadsBack) {
  for (const char* words : {"gemm:4096", "gemm:m=35,n=8457,k=2048,layout=NN,dtype=bf16,batch=7",
                            "gemm:8,dtype=int8,layout=tt", "gemm:100,dtype=fp64"}) {
    const std::string text = parse_workload(words).at(0).text;
    EXPECT_EQ(parse_workload(text).at(0).text, text);
    EXPECT_EQ(gemm_text(gemm(text)), text);
  }
  EXPECT_EQ(parse_workload("gemm:4096").at(0).text,
            "gemm:m=4096,n=4096,k=4096,dtype=fp16,acc=fp32,out=fp16,layout=nt,batch=1");
}

TEST(GemmWords, NameMistakesByColumn) {
  EXPECT_EQ(messages("gemm:m=40x,n=8,k=8"),
            "gemm:m=40x,n=8,k=8: column 8: m: '40x' is not a whole number");
  EXPECT_EQ(messages("gemm:m=8,n=8,k=8,dtpye=fp16"),
            "gemm:m=8,n=8,k=8,dtpye=fp16: column 18: gemm: unknown key 'dtpye'; did you mean "
            "\"dtype\"?");
  EXPECT_EQ(messages("gemm:8,dtype=fp61"),
            "gemm:8,dtype=fp61: column 14: dtype: unknown type 'fp61'; did you mean \"fp16\"?");
  EXPECT_EQ(messages("gemm:8,dtype=double"),
            "gemm:8,dtype=double: column 14: dtype: unknown type 'double'; known: fp16, bf16, "
            "tf32, fp32, fp64, int8, int32");
  EXPECT_EQ(messages("gemm:8,layout=row"),
            "gemm:8,layout=row: column 15: layout: 'row' is not two letters, for A and B, each n "
            "(as in the product) or t (transposed): nn, nt, tn, tt");
  EXPECT_EQ(messages("gemm:8,m=9"), "gemm:8,m=9: column 8: gemm: 'm' is given twice");
  EXPECT_EQ(messages("gemm:0"), "gemm:0: column 6: size: '0' is not between 1 and 16777216");
  EXPECT_EQ(messages("gemm:-4"),
            "gemm:-4: column 6: gemm: expected KEY=VALUE, got '-4'\n"
            "gemm:-4: column 8: gemm: 'm' is missing\n"
            "gemm:-4: column 8: gemm: 'n' is missing\n"
            "gemm:-4: column 8: gemm: 'k' is missing");
  EXPECT_EQ(messages("gemm:8,batch=70000"),
            "gemm:8,batch=70000: column 14: batch: '70000' is not between 1 and 65535");
  EXPECT_EQ(messages("gemm:99999999999999999999"),
            "gemm:99999999999999999999: column 6: size: '99999999999999999999' is not between 1 "
            "and 16777216");
  EXPECT_EQ(messages("gemm:8,dtype="), "gemm:8,dtype=: column 14: dtype: nothing follows '='");
  EXPECT_EQ(messages("gemm:8,"), "gemm:8,: column 8: gemm: expected KEY=VALUE, got ''");
}

TEST(GemmWords, ReportEveryMistakeAtOnce) {
  EXPECT_EQ(messages("gemm:m=x,n=0,q=1"),
            "gemm:m=x,n=0,q=1: column 8: m: 'x' is not a whole number\n"
            "gemm:m=x,n=0,q=1: column 12: n: '0' is not between 1 and 16777216\n"
            "gemm:m=x,n=0,q=1: column 14: gemm: unknown key 'q'\n"
            "gemm:m=x,n=0,q=1: column 17: gemm: 'k' is missing");
}

TEST(WorkloadWords, NameTheKind) {
  EXPECT_EQ(messages("gem:4096"),
            "gem:4096: column 1: workload: unknown kind 'gem'; did you mean \"gemm\"?");
  EXPECT_EQ(messages("4096"),
            "4096: column 1: workload: unknown kind '4096'; write gemm:..., csv:FILE or "
            "trace:FILE");
  EXPECT_EQ(messages("gemm"), "gemm: column 6: workload: nothing follows 'gemm:'");
  EXPECT_EQ(messages("csv:"), "csv:: column 5: workload: nothing follows 'csv:'");
}

TEST(WorkloadWords, TellLegalWishesFromMistakes) {
  EXPECT_EQ(reason("conv:n=32,hw=56"), "conv is not simulated yet; gemm is");
  EXPECT_EQ(reason("attn:n=1024"), "attn is not simulated yet; gemm is");
  EXPECT_EQ(reason("gemm:4096,dtype=fp8"), "no kernel is generated for dtype=fp8");
}

TEST(WorkloadWords, ReadATrace) {
  const std::string path =
      (std::filesystem::path(::testing::TempDir()) / "workload_words_trace.tct").string();
  trace::write_text_file(path,
                         "tct 1\nkernel tiny\ngrid 1 1 1\nwarps 1\nregisters 8\nshared 0\n"
                         "program main warps 0\nEXIT\n");
  const std::vector<Workload> all = parse_workload("trace:" + path);
  std::filesystem::remove(path);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(std::get<isa::KernelLaunch>(all[0].work).name, "tiny");
  EXPECT_EQ(all[0].text, "trace:" + path);
}

TEST(WorkloadWords, RefuseAFileThatIsMissing) {
  EXPECT_THROW((void)parse_workload("csv:/no/such/list.csv"), InputFileError);
  EXPECT_THROW((void)parse_workload("trace:/no/such/kernel.tct"), InputFileError);
}

}  // namespace
}  // namespace tcsim::workload
