#include <gmock/gmock.h>

#include "models/isa/assemble.hpp"
#include "tests/isa/assemble_fixture.hpp"
#include "tests/isa/schedule_checker.hpp"
#include "tests/support/features.hpp"
#include "tests/support/libraries.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/trace/canonical.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::trace {
namespace {

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

INSTANTIATE_TEST_SUITE_P(Architectures, KernelText, ::testing::Values("volta", "turing", "ampere"));

}  // namespace
}  // namespace tcsim::trace
