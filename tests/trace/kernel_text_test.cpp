#include <gmock/gmock.h>

#include <map>
#include <tuple>

#include "models/isa/assemble.hpp"
#include "sim/config/target.hpp"
#include "tests/isa/assemble_fixture.hpp"
#include "tests/isa/schedule_checker.hpp"
#include "tests/support/features.hpp"
#include "tests/support/libraries.hpp"
#include "tests/support/refusal.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/warp_specialised.hpp"
#include "workloads/trace/canonical.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::trace {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A machine large enough for every tile; only the kernels' shape matters here.
kernels::Target target(const std::string& architecture) {
  return {.architecture = architecture,
          .features = test::features_named(architecture),
          .sms = 108,
          .macs_per_cycle_per_sm = 1024,
          .shared_bytes_per_sm = 164 * 1024,
          .shared_bytes_per_cta = 163 * 1024,
          .shared_reserved_per_cta = 1024,
          .l2_bytes_per_cycle = 5120,
          .dram_bytes_per_cycle = 1103,
          .l2_bytes = 40 << 20,
          .libraries = test::libraries_named(architecture)};
}

class KernelText : public ::testing::TestWithParam<const char*> {};

TEST_P(KernelText, KeepsEveryTileOfTheMenuAssembledAndNot) {
  const kernels::GemmProblem problem{.m = 1000, .n = 520, .k = 264, .batch = 2};
  const kernels::Target machine = target(GetParam());
  const auto tiles = kernels::gemm_tiles(problem, machine);
  ASSERT_FALSE(tiles.empty());
  for (const kernels::GemmTile& tile : tiles) {
    isa::KernelLaunch launch = kernels::make_gemm(problem, tile, machine);
    EXPECT_EQ(read_tct(write_tct(launch), "k"), canonical(launch)) << tile.text();
    for (isa::WarpProgram& program : launch.programs) {
      isa::assemble(program, isa::example_timing());
      EXPECT_THAT(isa::check_schedule(program, isa::example_timing(), 3), IsEmpty()) << tile.text();
    }
    EXPECT_EQ(read_tct(write_tct(launch), "k"), canonical(launch)) << tile.text();
  }
}

/// The wgmma tiles of the libraries for `problem`: of each size, role and order the one that they
/// list last, most of them with clusters.
std::vector<kernels::GemmTile> warpgroup_tiles(const kernels::GemmProblem& problem,
                                               const kernels::Target& machine) {
  std::map<std::tuple<int, int, kernels::WarpRoles, bool>, kernels::GemmTile> tiles;
  for (const auto& family : kernels::warp_specialised_families(problem, machine))
    for (kernels::GemmTile tile : family->menu(problem.input)) {
      if (problem.sparse) tile.k *= 2;  // half of A is stored
      if (kernels::why_not_warp_specialised(problem, tile, machine).empty())
        tiles.insert_or_assign({tile.m, tile.n, tile.roles, tile.swapped}, tile);
    }
  std::vector<kernels::GemmTile> listed;
  for (const auto& [key, tile] : tiles) listed.push_back(tile);
  return listed;
}

/// A term and a quotient of one term mean the same and differ in their spaces.
std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

void expect_text_of_warpgroups(const kernels::GemmProblem& problem) {
  static const config::Machine h100 = library::load_machine("h100");
  const kernels::Target machine = config::make_target(h100, problem);
  const auto tiles = warpgroup_tiles(problem, machine);
  ASSERT_FALSE(tiles.empty());
  for (const kernels::GemmTile& tile : tiles) {
    SCOPED_TRACE(tile.text());
    isa::KernelLaunch launch = kernels::make_gemm(problem, tile, machine);
    for (isa::WarpProgram& program : launch.programs) isa::assemble(program, isa::example_timing());
    const std::string text = write_tct(launch);
    EXPECT_EQ(without_spaces(write_tct(read_tct(text, "k"))), without_spaces(text));
  }
}

TEST(WarpgroupKernelText, KeepsTheTilesOfTheMenus) {
  using kernels::Element;
  kernels::GemmProblem problem{.m = 136, .n = 136, .k = 256};
  expect_text_of_warpgroups(problem);
  problem.input = Element::kE4m3;
  problem.block_scales = true;
  expect_text_of_warpgroups(problem);
}

TEST(WarpgroupKernelText, KeepsTilesWithASparseA) {
  using kernels::Element;
  kernels::GemmProblem problem{.m = 136, .n = 136, .k = 256, .sparse = true};
  for (const Element element : {Element::kFp16, Element::kBf16, Element::kTf32}) {
    problem.input = element;
    expect_text_of_warpgroups(problem);
  }
  problem.input = Element::kInt8;
  problem.accumulate = problem.output = Element::kInt32;
  expect_text_of_warpgroups(problem);
}

TEST(BufferText, KeepsWhatAnOperationNeedsOfAnOutput) {
  const std::string head = "tct 1\nkernel k\ngrid 1 1 1\nwarps 1\nregisters 8\nshared 0\n";
  const std::string tail = "\nprogram all warps 0\n  EXIT\n";
  const std::string cache = "buffer K output base=0x100 bytes=256 replaced=";
  const std::string text =
      head + cache + "64\nbuffer sums output scratch base=0x200 bytes=256\n" + tail;
  const isa::KernelLaunch launch = read_tct(text, "k");
  EXPECT_EQ(launch.buffers[0].replaced, 64U);
  EXPECT_TRUE(launch.buffers[1].scratch);
  EXPECT_EQ(write_tct(launch), text);
  const auto reason = [](const std::string& kernel) {
    return test::refusal([&] { return read_tct(kernel, "k"); });
  };
  EXPECT_THAT(reason(head + cache + "257\n" + tail), HasSubstr("replaced"));
  EXPECT_THAT(reason(head + "buffer K input scratch base=0x100 bytes=256\n" + tail),
              HasSubstr("expected 'base'"));
}

INSTANTIATE_TEST_SUITE_P(Architectures, KernelText, ::testing::Values("volta", "turing", "ampere"));

}  // namespace
}  // namespace tcsim::trace
