#include "scripts/gpu/common/board.hpp"

#include <gtest/gtest.h>

#include "sim/validate/gpu_names.hpp"

namespace tcsim::measure {
namespace {

constexpr std::int64_t kGib = std::int64_t{1} << 30;

TEST(GpuBoard, NamesAreThoseOfTheTables) {
  struct Row {
    const char* cuda;
    std::int64_t gib;
    int sm;
    const char* gpu;
    const char* token;
  };
  const Row rows[] = {{"Tesla V100-SXM2-16GB", 16, 70, "V100-SXM2-16GB", "v100"},
                      {"Tesla V100-PCIE-32GB", 31, 70, "V100-PCIE-32GB", "v100"},
                      {"Tesla T4", 14, 75, "T4", "t4"},
                      {"NVIDIA A100-SXM4-40GB", 39, 80, "A100-SXM4-40GB", "a100"},
                      {"NVIDIA A100-PCIE-40GB", 39, 80, "A100-PCIE-40GB", "a100"},
                      {"NVIDIA A100 80GB PCIe", 79, 80, "A100-PCIE-80GB", "a100"},
                      {"NVIDIA A100-SXM4-80GB", 79, 80, "A100-SXM4-80GB", "a100"},
                      {"NVIDIA H100 80GB HBM3", 79, 90, "H100-SXM5-80GB", "h100"},
                      {"NVIDIA H200", 139, 90, "H200-SXM-141GB", "h200"}};
  const validate::GpuNames names;
  for (const Row& row : rows) {
    const Board board = board_of(row.cuda, row.gib * kGib, row.sm);
    EXPECT_EQ(board.gpu, row.gpu);
    EXPECT_EQ(board.token, row.token);
    EXPECT_TRUE(names.find(board.gpu).has_value()) << board.gpu;
  }
}

TEST(GpuBoard, AnUnknownOneKeepsItsNameAndIsNamedByItsArchitecture) {
  const Board board = board_of("NVIDIA RTX A6000", 48 * kGib, 86);
  EXPECT_EQ(board.gpu, "RTX-A6000");
  EXPECT_EQ(board.token, "sm86");
}

}  // namespace
}  // namespace tcsim::measure
