#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "models/isa/assemble.hpp"
#include "models/isa/assemble_recording.hpp"
#include "models/sm/params.hpp"
#include "tests/support/ampere_machine.hpp"
#include "tests/support/features.hpp"
#include "tests/support/libraries.hpp"
#include "tests/support/random_program.hpp"
#include "tests/traceg/round_trip.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::traceg {
namespace {

using testing::expect_equal_steps;
using testing::Outcome;
using testing::read_back;
using testing::text_of;

struct GemmCase {
  kernels::GemmProblem problem;
  const char* tile;
};
void PrintTo(const GemmCase& gemm, std::ostream* out) {
  *out << gemm.problem.m << "x" << gemm.problem.n << "x" << gemm.problem.k << " " << gemm.tile;
}

/// The kernels of the product, assembled for ampere_machine().
std::vector<isa::KernelLaunch> assembled(const GemmCase& gemm) {
  const config::Machine machine = test::ampere_machine();
  const kernels::Target target{.architecture = "ampere",
                               .features = test::ampere_features(),
                               .sms = 4,
                               .macs_per_cycle_per_sm = 1024,
                               .shared_bytes_per_sm = 164 * 1024,
                               .shared_bytes_per_cta = 163 * 1024,
                               .shared_reserved_per_cta = 1024,
                               .l2_bytes_per_cycle = 512,
                               .dram_bytes_per_cycle = 100,
                               .l2_bytes = 1 << 20,
                               .libraries = test::libraries_named("ampere")};
  std::string reason;
  const auto tile = kernels::parse_tile(gemm.tile, gemm.problem, target, reason);
  EXPECT_TRUE(tile) << reason;
  std::vector<isa::KernelLaunch> stream = kernels::make_gemm_stream(gemm.problem, *tile, target);
  for (isa::KernelLaunch& launch : stream)
    for (isa::WarpProgram& program : launch.programs)
      isa::assemble(program, sm::timing_table(machine.sm));
  return stream;
}

class GemmRoundTrip : public ::testing::TestWithParam<GemmCase> {};

TEST_P(GemmRoundTrip, ReadsBackWhatEveryWarpExecutesInEveryMode) {
  const isa::KernelLaunch launch = assembled(GetParam()).front();
  for (const AddressMode mode : {AddressMode::kList, AddressMode::kStride,
                                 AddressMode::kDifferences, AddressMode::kShortest})
    expect_equal_steps(launch, read_back(text_of(launch, mode)));
}

Outcome simulate(const std::vector<isa::KernelLaunch>& stream, Cycle quantum = 0) {
  return testing::simulate(test::ampere_machine(), stream, quantum);
}

std::vector<isa::KernelLaunch> through_the_form(const std::vector<isa::KernelLaunch>& stream) {
  std::vector<isa::KernelLaunch> recorded;
  for (const isa::KernelLaunch& launch : stream) {
    recorded.push_back(read_back(text_of(launch)));
    isa::assemble_recording(recorded.back(), sm::timing_table(test::ampere_machine().sm));
  }
  return recorded;
}

TEST_P(GemmRoundTrip, TakesTheSameCyclesWithTheSameCounters) {
  const std::vector<isa::KernelLaunch> stream = assembled(GetParam());
  const Outcome programs = simulate(stream);
  const Outcome recorded = simulate(through_the_form(stream));
  EXPECT_EQ(recorded.cycles, programs.cycles);
  EXPECT_EQ(recorded.counters, programs.counters);
}

TEST_P(GemmRoundTrip, DoesNotDependOnTheQuantum) {
  const std::vector<isa::KernelLaunch> recorded = through_the_form(assembled(GetParam()));
  EXPECT_EQ(simulate(recorded, 1).cycles, simulate(recorded).cycles);
}

using kernels::Element;
INSTANTIATE_TEST_SUITE_P(
    Gemm, GemmRoundTrip,
    ::testing::Values(GemmCase{{.m = 256, .n = 256, .k = 128}, "128x128x32_s3"},
                      GemmCase{{.m = 200, .n = 100, .k = 264}, "64x64x64_s5_splitk2"},
                      GemmCase{{.m = 128,
                                .n = 64,
                                .k = 96,
                                .input = Element::kInt8,
                                .accumulate = Element::kInt32,
                                .output = Element::kInt32},
                               "64x64"},
                      GemmCase{{.m = 128,
                                .n = 128,
                                .k = 40,
                                .input = Element::kFp32,
                                .output = Element::kFp32,
                                .unit = kernels::Unit::kCudaCore},
                               "64x64"}));

isa::KernelLaunch random_launch(unsigned seed) {
  isa::KernelLaunch launch = test::random_launch(seed);
  for (isa::WarpProgram& program : launch.programs)
    isa::assemble(program, sm::timing_table(test::ampere_machine().sm));
  return launch;
}

RC_GTEST_PROP(RandomRoundTrip, ReadsBackWhatEveryWarpExecutes, (unsigned seed)) {
  const isa::KernelLaunch launch = random_launch(seed);
  expect_equal_steps(launch, read_back(text_of(launch)));
}

}  // namespace
}  // namespace tcsim::traceg
