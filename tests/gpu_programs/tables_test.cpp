#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scripts/gpu/gemm/problem.hpp"
#include "scripts/gpu/microbench/figures.hpp"
#include "sim/validate/measurement.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_of.hpp"

namespace tcsim::measure {
namespace {

using test::text_of;
using testing::HasSubstr;

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string refusal(const std::string& path) {
  return test::refusal<ProgramError>([&] { read_problems(path); });
}

TEST(GpuTables, FiguresAreRowsOfBothTables) {
  const test::TemporaryDirectory folder;
  const std::string directory = folder.path().string();
  {
    Figures figures(directory, "A100-SXM4-80GB", 1410);
    figures.add({"mma", "HMMA.16816.F32 warps=4 ilp=2", 983.5, "MAC/cycle/SM", "throughput",
                 "mma.m16n8k16", "fp16->fp32", ""});
    figures.add({"l2", "read bytes=8MiB", 5400, "GB/s", "bandwidth", "L2", "b64", "min=5"});
    figures.add({"launch", "", 2.5, "us", "kernel_to_kernel_interval", "stream", "", ""});
  }
  EXPECT_EQ(text_of(directory + "/microbench_table.csv"),
            "suite,test,published,unit,set,source\n"
            "mma,HMMA.16816.F32 warps=4 ilp=2,983.5,MAC/cycle/SM,,\"OWN, A100-SXM4-80GB\"\n"
            "l2,read bytes=8MiB,5400,GB/s,clocks.sm_mhz=1410,\"OWN, A100-SXM4-80GB\"\n");
  EXPECT_THAT(text_of(directory + "/microbench.csv"),
              HasSubstr("A100-SXM4-80GB,throughput,mma.m16n8k16"));
}

TEST(GpuTables, TimesAreRowsThatTheSimulatorScores) {
  const test::TemporaryDirectory folder;
  const std::string path = (folder.path() / "times.csv").string();
  {
    CsvFile file(path, {"gpu", "op", "dtype_in", "dtype_acc", "params", "time_us", "tflops",
                        "clock_mhz_if_known", "source_id", "notes"});
    const Problem problem{"fp16", "fp32", 512, 4096, 4096, "NT"};
    file.row({"A100-SXM4-80GB", "gemm", problem.input, problem.accumulator, problem.params(),
              "75.2", number(problem.flop() / 75.2e6), "1395", "OWN",
              "kernel=own;tile=128x128x32;warp=64x32;stages=4;graph;l2=warm;clk=sampled"});
  }
  const auto list = validate::read_measurements(path, validate::GpuNames());
  ASSERT_EQ(list.rows.size(), 1U);
  EXPECT_TRUE(list.rows[0].locked_clock);
  EXPECT_EQ(list.rows[0].tile, "128x128x32_s4_w2x4");
}

TEST(GpuTables, RowsAreAddedToAFileThatExists) {
  const test::TemporaryDirectory folder;
  const std::string path = (folder.path() / "rows.csv").string();
  for (const char* cell : {"one", "two, quoted \"so\""}) CsvFile(path, {"a", "b"}).row({cell, "1"});
  EXPECT_EQ(text_of(path), "a,b\none,1\n\"two, quoted \"\"so\"\"\",1\n");
}

TEST(GpuTables, TheShippedShapesAreRead) {
  const auto problems = read_problems(TC_SHAPES);
  EXPECT_GE(problems.size(), 40U);
  EXPECT_EQ(problems[0].params(), "m=256;n=256;k=256;layout=NT");
}

TEST(GpuTables, AMistakeInTheShapesIsNamedWithItsLine) {
  const test::TemporaryDirectory folder;
  const std::string path = (folder.path() / "shapes.csv").string();
  write(path, "dtype_in,dtype_acc,m,n,k,layout\nfp16,fp32,8,8,8,NX\n");
  EXPECT_EQ(refusal(path), path + ":2:1: layout: 'NX' is not one of NN, NT, TN, TT");
  write(path, "dtype_in,dtype_acc,m,n,k,layout\n\nfp16,fp32,8,x,8,NT\n");
  EXPECT_THAT(refusal(path), HasSubstr(":3:1: row: six cells"));
  write(path, "m,n,k\n");
  EXPECT_THAT(refusal(path), HasSubstr(":1:1: header"));
}

}  // namespace
}  // namespace tcsim::measure
