#include "sim/validate/named_kernels.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "sim/files/content_error.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::validate {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class NamedKernelList : public ::testing::Test {
 protected:
  NamedKernels read(const std::string& text) {
    std::ofstream(file_) << text;
    return read_named_kernels(file_, GpuNames());
  }
  std::string refusal(const std::string& text) {
    return test::refusal<files::ContentError>([&] { return read(text); });
  }

  const test::TemporaryDirectory folder_;
  const std::string file_ = (folder_.path() / "names.csv").string();
};

constexpr const char* kColumns = "gpu,op,dtype_in,dtype_acc,params,kernel,split_k,notes\n";

TEST_F(NamedKernelList, ReadsProductsWithTheSumsThatTheNameTells) {
  const NamedKernels list = read(std::string(kColumns) +
                                 "RTX3090,gemm,fp16,unstated,m=64;n=32;k=16;layout=NT,"
                                 "ampere_h16816gemm_256x128_ldg8_stages_32x3_tn,2,role=main\n");
  ASSERT_EQ(list.rows.size(), 1u);
  const auto& gemm = std::get<kernels::GemmProblem>(list.rows[0].workload.work);
  EXPECT_EQ(gemm.accumulate, kernels::Element::kFp16);
  EXPECT_EQ(list.rows[0].name.tile().m, 128);
  EXPECT_EQ(list.rows[0].unit, "tensor");
  EXPECT_EQ(list.rows[0].slices, 2);
  EXPECT_EQ(list.rows[0].line, 2);
}

TEST_F(NamedKernelList, ATypeMayBeAGuessOrUnstated) {
  const std::string kernel = ",m=64;n=32;k=16;layout=NT,volta_h884gemm_256x128_ldg8_tn,,\n";
  const NamedKernels list = read(std::string(kColumns) + "T4,gemm,fp16?,fp32?" + kernel +
                                 "T4,gemm,unstated,unstated" + kernel);
  ASSERT_EQ(list.rows.size(), 2u);
  for (const NamedKernel& row : list.rows)
    EXPECT_EQ(element_of(row.workload), kernels::Element::kFp16);
}

TEST_F(NamedKernelList, ReadsSgemmWithTheSumsInTheMiddle) {
  const NamedKernels list = read(
      "gpu,op,batch,m,n,k,kernel,grid\n"
      "V100-PCIE-32GB,linear,1,338,290,26579,volta_sgemm_128x64_tn,208x6x3\n"
      "A100-PCIE-40GB,bmm,70000,64,196,32,ampere_sgemm_128x128_nn,2x1x12\n");
  ASSERT_EQ(list.rows.size(), 2u);
  const auto& linear = std::get<kernels::GemmProblem>(list.rows[0].workload.work);
  EXPECT_EQ(linear.n, 26579);
  EXPECT_EQ(linear.k, 290);
  EXPECT_EQ(linear.layout_b, kernels::Layout::kTransposed);
  EXPECT_EQ(list.rows[0].unit, "cuda-core");
  EXPECT_EQ(list.rows[0].slices, 3);
  const auto& batched = std::get<kernels::GemmProblem>(list.rows[1].workload.work);
  EXPECT_EQ(batched.batch, 65535);
  EXPECT_EQ(batched.layout_b, kernels::Layout::kNormal);
  EXPECT_EQ(list.rows[1].slices, std::nullopt);
}

TEST_F(NamedKernelList, TakesResultsOfBytesFromTheNameAndLibrariesFromTheSource) {
  const NamedKernels list = read(
      "gpu,op,dtype_in,dtype_acc,params,kernel,source_id\n"
      "TITAN-RTX,conv_fwd,int8,int32,n=1;c=64;h=8;w=8;k=64;r=1;s=1,"
      "turing_fp32_i8816cudnn_int8_128x128_ldg16_relu_small_nt_v1,TREX\n");
  ASSERT_EQ(list.rows.size(), 1u);
  EXPECT_EQ(std::get<workload::ConvWork>(list.rows[0].workload.work).problem.output,
            kernels::Element::kFp32);
  EXPECT_THAT(list.rows[0].libraries, ::testing::ElementsAre("tensorrt"));
}

TEST_F(NamedKernelList, TakesTheMarkOfASpreadsheet) {
  const NamedKernels list = read(std::string("\xef\xbb\xbf") + kColumns);
  EXPECT_TRUE(list.rows.empty());
  EXPECT_TRUE(list.skipped.empty());
}

TEST_F(NamedKernelList, SaysWhyRowsAreSkipped) {
  const std::string conv = "conv_fwd,fp16,fp32,n=1;c=8;h=8;w=8;k=8;r=1;s=1,";
  const NamedKernels list =
      read(std::string(kColumns) + "T4," + conv + "volta_sgemm_128x64_tn,,role=aux\n" + "T4," +
           conv + "nchwToNhwcKernel,,\n" + "B200," + conv + "volta_sgemm_128x64_tn,,\n" + "T4," +
           conv + "ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1,,\n" +
           "T4,gemm,bf16,fp32,m=512;n=2048;k=1024;layout=NT,volta_h884gemm_256x128_ldg8_tn,,\n");
  EXPECT_TRUE(list.rows.empty());
  ASSERT_EQ(list.skipped.size(), 5u);
  EXPECT_THAT(list.skipped[0].reason, HasSubstr("role=aux"));
  EXPECT_THAT(list.skipped[1].reason, HasSubstr("has no tile"));
  EXPECT_EQ(list.skipped[2].reason, "no machine file for B200; give one with -m");
  EXPECT_THAT(list.skipped[3].reason, HasSubstr("Winograd"));
  EXPECT_EQ(list.skipped[4].reason,
            "the operands of the kernel's name are fp16, those of the row bf16");
}

TEST_F(NamedKernelList, RefusesMistakesAtTheirPlace) {
  EXPECT_THAT(refusal(""), EndsWith(":1:1: header: the file is empty"));
  EXPECT_THAT(refusal("gpu,op,dtype_in,dtype_acc,params,kernal\n"),
              EndsWith(":1:34: header: column 'kernal' is unknown; did you mean \"kernel\"?"));
  EXPECT_THAT(refusal(std::string(kColumns) + "T4,gemm\n"),
              EndsWith(":2:1: row: 2 fields, the header has 8"));
  EXPECT_THAT(refusal("gpu,op,batch,m,n,k,kernel,grid\n"
                      "T4,linear,1,x,2,3,volta_sgemm_128x64_tn,1x1x1\n"),
              HasSubstr(":2:13: row: "));
}

}  // namespace
}  // namespace tcsim::validate
