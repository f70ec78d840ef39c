#include "sim/validate/accuracy.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::validate {
namespace {

Comparison row(const std::string& gpu, double measured_us, double simulated_us) {
  Comparison comparison;
  comparison.measurement.gpu = gpu;
  comparison.measurement.model.machine = "a100";
  comparison.measurement.op = "gemm";
  comparison.measurement.dtype = "fp16";
  comparison.measurement.unit = "tensor";
  comparison.measurement.time_us = measured_us;
  comparison.simulated_us = simulated_us;
  return comparison;
}

TEST(Accuracies, BoardsOfOneMachineAreOneClass) {
  const std::vector<Accuracy> all =
      accuracies({row("A100", 100, 104), row("A100-SXM4", 100, 98), row("A100", 1000, 900)});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].size_class, "10-300 us");
  EXPECT_EQ(all[0].rows, 2);
  EXPECT_DOUBLE_EQ(all[0].median_ape, 3);
  EXPECT_DOUBLE_EQ(all[0].bias, 1);
  EXPECT_DOUBLE_EQ(all[1].bias, -10);
}

TEST(Accuracies, ComeBackFromTheirFile) {
  const test::TemporaryDirectory folder;
  const std::string file = (folder.path() / "accuracy.csv").string();
  std::ofstream(file) << accuracy_csv(accuracies({row("A100", 100, 104)}), "abc");
  const std::vector<Accuracy> read = read_accuracies(file);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(validated_text(read, {"a100", "gemm", "fp16", "tensor", 50}),
            "gemm fp16, 10-300 us, on a100: median error 4.0 %, 1 measured row");
  EXPECT_EQ(validated_text(read, {"a100", "gemm", "fp16", "tensor", 5}),
            "no measured reference for gemm fp16, under 10 us, on a100");
  EXPECT_EQ(validated_text(read, {"a100", "", "", "tensor", 5}),
            "no measured reference for this workload");
}

TEST(Accuracies, OfAMachineFileWithACommaComeBackFromTheirFile) {
  const test::TemporaryDirectory folder;
  const std::string file = (folder.path() / "accuracy.csv").string();
  Comparison mine = row("A100", 100, 104);
  mine.measurement.model.machine = "my,tiny.yaml";
  std::ofstream(file) << accuracy_csv(accuracies({mine}), "abc");
  EXPECT_EQ(read_accuracies(file).at(0).machine, "my,tiny.yaml");
}

TEST(Accuracies, OfTensorCoresSayNothingOfCudaCores) {
  const std::vector<Accuracy> all = accuracies({row("A100", 100, 104)});
  EXPECT_EQ(validated_text(all, {"a100", "gemm", "fp16", "cuda-core", 50}),
            "no measured reference for gemm fp16 on CUDA cores, 10-300 us, on a100");
}

TEST(Accuracies, OfAMalformedFileAreRefused) {
  const test::TemporaryDirectory folder;
  const std::string file = (folder.path() / "accuracy.csv").string();
  std::ofstream(file) << accuracy_csv({}, "abc")
                      << "a100,gemm,fp16,tensor,10-300 us,two,1,1,1,abc\n";
  EXPECT_THROW(read_accuracies(file), InputError);
  for (const char* const figure : {"nan", "inf", "1e300", "-1e10"}) {
    std::ofstream(file) << accuracy_csv({}, "abc") << "a100,gemm,fp16,tensor,10-300 us," << figure
                        << ",1,1,1,abc\n";
    EXPECT_THROW(read_accuracies(file), InputError) << figure;
  }
  std::ofstream(file) << "machine\n";
  EXPECT_THROW(read_accuracies(file), InputError);
  EXPECT_TRUE(read_accuracies((folder.path() / "no_such_file").string()).empty());
}

}  // namespace
}  // namespace tcsim::validate
