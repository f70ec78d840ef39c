// Kernels of Hopper through the form: mbarriers, boxes, products of warpgroups, clusters.

#include <gmock/gmock.h>

#include "models/isa/assemble.hpp"
#include "models/isa/assemble_recording.hpp"
#include "models/sm/params.hpp"
#include "sim/config/target.hpp"
#include "sim/library/load.hpp"
#include "tests/traceg/round_trip.hpp"
#include "workloads/kernels/attention/attention.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/trace/instruction_counts.hpp"

namespace tcsim::traceg {
namespace {

using kernels::Element;
using testing::expect_equal_steps;
using testing::read_back;
using testing::text_of;

/// What the form cannot carry costs nothing: constants, known pages, where the code of roles
/// begins.
config::Machine hopper() {
  config::Machine machine = library::load_machine("h100");
  machine.sm.instruction_fetch.l0_bytes = 0;
  machine.sm.constant_cache.l0_bytes = 0;
  machine.tlb.tpc_entries = 0;
  return machine;
}

void assemble_for_hopper(std::vector<isa::KernelLaunch>& stream) {
  for (isa::KernelLaunch& launch : stream)
    for (isa::WarpProgram& program : launch.programs)
      isa::assemble(program, sm::timing_table(hopper().sm));
}

std::vector<isa::KernelLaunch> product(const kernels::GemmProblem& problem, const char* tile) {
  const kernels::Target target = config::make_target(hopper(), problem);
  std::string reason;
  const auto parsed = kernels::parse_tile(tile, problem, target, reason);
  EXPECT_TRUE(parsed) << reason;
  auto stream = kernels::make_gemm_stream(problem, *parsed, target);
  assemble_for_hopper(stream);
  return stream;
}

isa::KernelLaunch read_and_assembled(const isa::KernelLaunch& launch) {
  isa::KernelLaunch recorded = read_back(text_of(launch, AddressMode::kShortest, 90));
  expect_equal_steps(launch, recorded);
  EXPECT_EQ(recorded.cluster, launch.cluster);
  // Of stores, the counts of programs take no notice of who is off.
  EXPECT_EQ(trace::count_of_grid(recorded).box_bytes_loaded,
            trace::count_of_grid(launch).box_bytes_loaded);
  isa::assemble_recording(recorded, sm::timing_table(hopper().sm));
  return recorded;
}

void expect_equal_time(const std::vector<isa::KernelLaunch>& stream) {
  std::vector<isa::KernelLaunch> recorded;
  for (const isa::KernelLaunch& launch : stream) recorded.push_back(read_and_assembled(launch));
  const testing::Outcome programs = testing::simulate(hopper(), stream);
  const testing::Outcome read = testing::simulate(hopper(), recorded);
  EXPECT_EQ(read.cycles, programs.cycles);
  EXPECT_EQ(read.counters, programs.counters);
}

TEST(HopperRoundTrip, OfProductsTakesTheSameCyclesWithTheSameCounters) {
  expect_equal_time(product({.m = 300, .n = 520, .k = 200}, "128x256x64_s3_w8x1_coop_c2x1"));
  expect_equal_time(product({.m = 256, .n = 256, .k = 256}, "64x128_pingpong"));
  expect_equal_time(product({.m = 256,
                             .n = 128,
                             .k = 512,
                             .input = Element::kInt8,
                             .accumulate = Element::kInt32,
                             .output = Element::kInt32},
                            "128x128_coop"));
}

TEST(HopperRoundTrip, OfAttentionKeepsWhatEveryWarpExecutes) {
  for (const auto pass : {kernels::AttentionPass::kForward, kernels::AttentionPass::kBackward}) {
    kernels::AttentionProblem problem{.heads = 2, .kv_heads = 2, .queries = 256, .keys = 256};
    problem.element = Element::kBf16;
    problem.pass = pass;
    kernels::GemmProblem of_target;
    of_target.input = problem.element;
    auto stream = kernels::make_attention(problem, config::make_target(hopper(), of_target));
    assemble_for_hopper(stream);
    for (const isa::KernelLaunch& launch : stream) read_and_assembled(launch);
  }
}

}  // namespace
}  // namespace tcsim::traceg
