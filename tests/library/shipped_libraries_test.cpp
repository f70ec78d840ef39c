#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/config/operator_target.hpp"
#include "sim/config/target.hpp"
#include "sim/files/read_file.hpp"
#include "sim/library/load.hpp"
#include "sim/library/machine_check.hpp"
#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::library {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using ::testing::Contains;
using ::testing::HasSubstr;

/// Whose kernels compute `problem` on `machine`.
std::string library_of(const std::string& machine, const GemmProblem& problem) {
  std::string reason;
  const auto recipe =
      kernels::find_recipe(problem, config::make_target(load_machine(machine), problem), reason);
  return recipe ? recipe->family->library + "." + recipe->family->name : reason;
}

/// Whose kernel is taken.
std::string choice_of(const std::string& machine, const GemmProblem& problem) {
  const auto all =
      kernels::gemm_candidates(problem, config::make_target(load_machine(machine), problem));
  return all.empty() ? "none" : all.front().family->library + "." + all.front().family->name;
}

// cuDNN ran an implicit GEMM on mma.sync (TRACELENS), without a kernel that copies patches.
TEST(ShippedLibraries, MultiplyThePointsOfAnImageOnH100WithoutCopies) {
  kernels::ConvProblem points{.n = 1, .h = 32, .w = 32, .c = 384, .k = 1152};
  points.input = points.output = Element::kBf16;
  const auto plan =
      kernels::choose_conv(points, config::make_conv_target(load_machine("h100"), points));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->algorithm, kernels::ConvAlgorithm::kImplicitGemm);
}

TEST(ShippedLibraries, AreReadUnderTheNamesOfTheirFiles) {
  ASSERT_GE(library_names().size(), 10u);
  for (const std::string& name : library_names()) EXPECT_EQ(read_library(name)->name, name);
}

TEST(ShippedLibraries, HaveASourceOnEveryTile) {
  for (const std::string& name : library_names()) {
    const std::string text =
        files::read_file(libraries_folder() / (name + ".yaml"), files::FileKind::kLibrary);
    for (std::size_t at = text.find("- {tile: "); at != std::string::npos;
         at = text.find("- {tile: ", at + 1)) {
      const std::string line = text.substr(at, text.find('\n', at) - at);
      if (line.find("factor:") == std::string::npos) {
        EXPECT_THAT(line, HasSubstr("  # ")) << name;
      }
    }
  }
}

TEST(ShippedLibraries, PackedWeightsHaveTheirs) {
  GemmProblem problem{.m = 16, .n = 4096, .k = 4096, .weights = {4, 128}};
  for (const char* machine : {"a100", "rtx3090", "h100", "lab-tiny"})
    EXPECT_EQ(choice_of(machine, problem), "trtllm-weight-only.copied") << machine;
  EXPECT_EQ(choice_of("t4", problem), "trtllm-weight-only.staged");
  EXPECT_EQ(choice_of("v100", problem), "none");
  problem.weights = {};
  EXPECT_EQ(choice_of("a100", problem), "cublas-ampere.products");
}

TEST(ShippedLibraries, EveryMachineNamesSome) {
  for (const std::string& machine : config::machine_names()) {
    EXPECT_FALSE(load_machine(machine).kernel_libraries.empty()) << machine;
    EXPECT_THAT(load_machine(machine).libraries, Contains("cuda-cores")) << machine;
  }
}

/// A chip of the generation with less shared memory leaves out what does not fit.
TEST(ShippedLibraries, HaveNoTilesThatNoneOfTheirMachinesCanBuild) {
  std::map<std::string, std::set<std::string>> machines_of;
  std::map<std::string, std::set<std::string>> machines_without;
  for (const std::string& name : config::machine_names()) {
    const config::Machine machine = load_machine(name);
    for (const auto& library : machine.kernel_libraries) {
      machines_of[library->file].insert(name);
      for (const TileProblem& problem : tiles_beyond(*library, machine))
        machines_without[fmt::format("{}:{}.{}", library->file, problem.base, problem.line)].insert(
            name);
    }
  }
  for (const auto& [row, machines] : machines_without)
    EXPECT_NE(machines, machines_of.at(row.substr(0, row.rfind(':')))) << row;
}

TEST(ShippedLibraries, ServeTheMachinesTheyAreOf) {
  const GemmProblem half{.m = 4096, .n = 4096, .k = 4096};
  EXPECT_EQ(library_of("v100", half), "cublas-volta.products");
  EXPECT_EQ(library_of("t4", half), "cublas-turing.products");
  EXPECT_EQ(library_of("a100", half), "cublas-ampere.products");
  EXPECT_EQ(library_of("h100", half), "cublas-hopper.products");
  EXPECT_EQ(library_of("p100", half), "the machine has no tensor cores");
  EXPECT_EQ(choice_of("h100", half), "cublas-nvjet.nvjet");
  GemmProblem eight_bits = half;
  eight_bits.input = Element::kE4m3;
  eight_bits.output = Element::kBf16;
  EXPECT_EQ(choice_of("h100", eight_bits), "cublas-nvjet.nvjet");
  eight_bits.block_scales = true;
  EXPECT_EQ(choice_of("h100", eight_bits), "deepgemm.blocks");
  eight_bits.m = 64;
  eight_bits.n = 2112;
  eight_bits.k = 7168;
  const kernels::GemmTile tile =
      kernels::choose_tile(eight_bits, config::make_target(load_machine("h100"), eight_bits));
  EXPECT_EQ(tile.text(), "64x16x128_s8_w4x1_coop");  // 132 tiles: one whole wave
  eight_bits.m = 4096;
  eight_bits.n = 7168;
  eight_bits.k = 2048;
  EXPECT_EQ(kernels::choose_tile(eight_bits, config::make_target(load_machine("h100"), eight_bits))
                .text(),
            "128x128x128_s5_w8x1_coop_c1x2");  // two CTAs share A from 1024 rows on
  eight_bits.m = eight_bits.n = 128;
  eight_bits.k = 512;
  kernels::Target small = config::make_target(load_machine("h100"), eight_bits);
  small.shared_bytes_per_cta = 64 * 1024;
  EXPECT_EQ(kernels::choose_tile(eight_bits, small).m, 64);  // no tile has room for all 128 rows
  GemmProblem odd = half;
  odd.k = 4095;
  EXPECT_EQ(library_of("a100", odd), "cublas-ampere.unaligned");
  GemmProblem bytes = half;
  bytes.input = Element::kInt8;
  bytes.accumulate = Element::kInt32;
  EXPECT_EQ(library_of("a100", bytes), "trtllm-int8.scaled_products");
  bytes.output = Element::kInt32;
  EXPECT_EQ(library_of("a100", bytes), "cublas-ampere.products");
  GemmProblem single = half;
  single.input = single.output = Element::kFp32;
  single.unit = kernels::Unit::kCudaCore;
  EXPECT_EQ(library_of("p100", single), "cublas-pascal.single");
  EXPECT_EQ(library_of("a100", single), "cublas-ampere.single");
}

TEST(ShippedLibraries, MultiplyGroupsOfRowsOnHopper) {
  GemmProblem groups{.m = 4 * 8192, .n = 4096, .k = 7168};
  groups.groups.rows.assign(4, 8192);
  EXPECT_EQ(choice_of("h100", groups), "deepgemm.groups");
  EXPECT_EQ(library_of("a100", groups), "groups of rows need products of warpgroups");
  groups.input = Element::kE4m3;
  groups.output = Element::kBf16;
  groups.block_scales = true;
  EXPECT_EQ(choice_of("h100", groups), "deepgemm.blocks");
  const auto tile = [&] {
    return kernels::choose_tile(groups, config::make_target(load_machine("h100"), groups)).text();
  };
  EXPECT_EQ(tile(), "128x128x128_s5_w8x1_coop_c1x2");
  // Masked: 64 rows hold what groups have on average; pairs of CTAs are for one matrix.
  groups.m = 512;
  groups.batch = 4;
  groups.groups = {kernels::GroupLayout::kMasked, {10, 200, 0, 46}};
  EXPECT_EQ(tile(), "64x128x128_s8_w4x1_coop");
}

}  // namespace
}  // namespace tcsim::library
