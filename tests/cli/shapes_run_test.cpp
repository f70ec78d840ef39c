#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

/// The rows of ResNet-50's list with one image each, its strides and paddings as they are.
std::vector<std::string> resnet_rows() {
  std::ifstream file(TC_SOURCE_DIR "/configs/workloads/resnet50_conv.csv");
  std::vector<std::string> rows;
  std::string line;
  std::getline(file, line);
  const std::regex row("conv_fwd,[^,]*,[^,]*,n=[0-9]+;([^,]*),.*");
  std::smatch match;
  while (std::getline(file, line))
    if (std::regex_match(line, match, row)) rows.push_back("n=1;" + match[1].str());
  return rows;
}

class Shapes : public ::testing::Test {
 protected:
  /// Runs the rows as a list and expects every one to be done.
  static void expect_done(const std::string& operation, const std::string& formats,
                          const std::vector<std::string>& rows, const std::string& machine) {
    std::ofstream list("list.csv");
    list << "op,dtype_in,dtype_acc,params\n";
    for (const std::string& row : rows) list << operation << "," << formats << "," << row << "\n";
    list.close();
    const ChildResult result =
        tcsim({"run", "csv:list.csv", "-m", machine, "-f", "json", "--no-files", "-q"});
    EXPECT_EQ(result.status, 0) << machine << " " << formats << ": " << result.errors;
  }

  TemporaryHome home_;
};

TEST_F(Shapes, TheConvolutionsOfResNet50RunInEveryFormat) {
  const std::vector<std::string> rows = resnet_rows();
  ASSERT_GE(rows.size(), 13U);
  expect_done("conv_fwd", "fp16,fp32", rows, "v100");
  for (const char* formats : {"fp16,fp32", "bf16,fp32", "tf32,fp32"})
    expect_done("conv_fwd", formats, rows, "a100");
  // INT8 lies in NHWC with channels of 16 bytes; the first layer has four.
  std::vector<std::string> aligned;
  for (const std::string& row : rows)
    if (row.find(";c=4;") == std::string::npos) aligned.push_back(row);
  EXPECT_EQ(aligned.size(), rows.size() - 1);
  expect_done("conv_fwd", "int8,int32", aligned, "a100");
}

TEST_F(Shapes, TheAttentionOfBertAndGptRuns) {
  const std::vector<std::string> bert{"b=1;heads=12;n=128;d=64", "b=1;heads=16;n=384;d=64"};
  const std::vector<std::string> gpt{"b=1;heads=12;n=512;d=64;causal=1",
                                     "b=1;heads=4;n=512;d=128;causal=1"};
  for (const auto& rows : {bert, gpt}) {
    for (const char* formats : {"fp16,fp32", "bf16,fp32"})
      expect_done("attention_fwd", formats, rows, "a100");
    expect_done("attention_bwd", "fp16,fp32", rows, "a100");
    std::vector<std::string> unfused;
    for (const std::string& row : rows) unfused.push_back(row + ";algo=unfused");
    expect_done("attention_fwd", "fp16,fp32", unfused, "v100");
  }
}

}  // namespace
}  // namespace tcsim::cli
