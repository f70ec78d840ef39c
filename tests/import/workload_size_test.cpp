#include "workloads/import/workload_size.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tcsim::workload {
namespace {

Workload one(const std::string& words) { return parse_workload(words).at(0); }

TEST(WorkloadSize, CountsTwoOperationsForEveryMultiplyAdd) {
  EXPECT_EQ(useful_flop(one("gemm:m=3,n=5,k=7,batch=2")), 2.0 * 3 * 5 * 7 * 2);
  EXPECT_EQ(useful_flop(one("conv:n=2,hw=8,c=4,k=6,rs=3,pad=1")), 2.0 * 2 * 8 * 8 * 4 * 6 * 9);
  EXPECT_EQ(useful_flop(one("attn:b=2,heads=3,n=16,kv=32,d=8")), 4.0 * 2 * 3 * 16 * 32 * 8);
  EXPECT_FALSE(useful_flop(one("softmax:rows=4,cols=8")).has_value());
}

TEST(WorkloadSize, CountsImagesAndSequences) {
  EXPECT_EQ(samples(one("conv:n=5,hw=8,c=4,k=6,rs=3")), 5);
  EXPECT_EQ(samples(one("attn:b=7,heads=3,n=16,d=8")), 7);
  EXPECT_EQ(samples(one("gemm:m=3,n=5,k=7,batch=2")), 1);
}

TEST(WorkloadSize, CountsOperandsAndResults) {
  EXPECT_EQ(operand_bytes(one("gemm:m=4,n=6,k=8")), 2.0 * (4 * 8 + 8 * 6 + 4 * 6));
  // Integers in blocks of 16 x 32, four groups of scales.
  EXPECT_EQ(operand_bytes(one("gemm:m=4,n=40,k=120,weights=int4,group=32")),
            2.0 * (4 * 120 + 4 * 40) + 128 * 64 * 0.5 + 2 * 4 * 64);
  EXPECT_EQ(operand_bytes(one("attn:b=1,heads=4,kvheads=2,n=16,kv=32,d=8")),
            2.0 * 8 * (2 * 16 * 4 + 2 * 32 * 2));
  EXPECT_EQ(operand_bytes(one("attn:b=1,heads=4,kvheads=2,n=16,kv=32,d=8,pass=bwd")),
            2.0 * 8 * (4 * 16 * 4 + 4 * 32 * 2));
  // O of eight-bit operands has two bytes.
  for (const char* dtype : {"e4m3", "int8"})
    EXPECT_EQ(operand_bytes(
                  one("attn:b=1,heads=4,kvheads=2,n=16,kv=32,d=64,dtype=" + std::string(dtype))),
              64.0 * (3 * 16 * 4 + 2 * 32 * 2))
        << dtype;
  EXPECT_EQ(operand_bytes(one("gemm:m=4,n=6,k=8,scale=1,bias=1,residual=1,out=fp32")),
            2.0 * (4 * 8 + 8 * 6) + 4.0 * (2 * 4 * 6 + 2 * 6));
  EXPECT_EQ(operand_bytes(one("add:rows=4,cols=8")), 2.0 * 3 * 4 * 8);
  EXPECT_EQ(operand_bytes(one("silu_and_mul:rows=4,cols=8")), 2.0 * 3 * 4 * 8);
  EXPECT_EQ(operand_bytes(one("layernorm:rows=4,cols=8")), 2.0 * (2 * 4 * 8 + 2 * 8));
}

TEST(WorkloadSize, CountsTheTensorsOfAConvolutionInTheirFormats) {
  constexpr double kX = 2 * 8 * 8 * 4;
  constexpr double kW = 6 * 9 * 4;
  constexpr double kY = 2 * 8 * 8 * 6;
  const std::string words = "conv:n=2,hw=8,c=4,k=6,rs=3,pad=1,out=fp32";
  EXPECT_EQ(operand_bytes(one(words)), 2 * (kX + kW) + 4 * kY);
  EXPECT_EQ(operand_bytes(one(words + ",pass=dgrad")), 2 * (kY + kW) + 4 * kX);
  EXPECT_EQ(operand_bytes(one(words + ",pass=wgrad")), 2 * (kX + kY) + 4 * kW);
  EXPECT_EQ(operand_bytes(one(words + ",post=scale+bias+residual+relu+pool")),
            2 * (kX + kW) + 4 * (kY / 4 + kY + 2 * 6));
}

}  // namespace
}  // namespace tcsim::workload
