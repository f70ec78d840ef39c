// Boxes that TMA adds to a tensor, at the slices of the L2.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/cluster_program.hpp"
#include "tests/gpu/result.hpp"

namespace tcsim::gpu::test {
namespace {

using isa::Opcode;

constexpr int kRows = 64;
constexpr std::uint64_t kWords = std::uint64_t{32} * kRows;

/// Each CTA sends one box of 64 lines out of shared memory by `opcode`, all to the same place.
isa::KernelLaunch boxes_out(Opcode opcode, int ctas) {
  Program program;
  program.op(opcode, isa::TileOperand{.coordinates = {{0}, {0}}, .shared = {1024}});
  isa::KernelLaunch launch = program.op(Opcode::kUtmacmdflush).op(Opcode::kDepbar).launch(ctas, 1);
  launch.tensor_maps = {{.name = "D",
                         .element_bytes = 4,
                         .extents = {32, kRows},
                         .strides = {128},
                         .box = {32, kRows}}};
  return launch;
}

/// The same with the lines in the L2.
Result timed(Opcode opcode, int ctas, int lanes_per_cycle) {
  config::Machine machine = cluster_machine();
  machine.l2.atomic_float_lanes_per_cycle = lanes_per_cycle;
  return run({boxes_out(opcode, ctas)}, {}, machine, {}, {boxes_out(Opcode::kUtmastg2d, 1)});
}

TEST(BoxSumsInL2, AreCarriedOutByTheAtomicUnitsOfTheSlices) {
  const Result stored = timed(Opcode::kUtmastg2d, 1, 8);
  const Result added = timed(Opcode::kUtmaredgAdd2d, 1, 8);
  EXPECT_EQ(stored.sum("l2_atomic_lanes"), 0U);
  EXPECT_EQ(stored.sum("l2_write_bytes"), 4 * kWords);
  EXPECT_EQ(added.sum("l2_atomic_lanes"), kWords);
  EXPECT_EQ(added.sum("l2_atomic_cycles"), kWords / 8);
  EXPECT_EQ(added.sum("l2_write_bytes"), 4 * kWords);
}

/// A slice has the words of an eighth of the lines, one a cycle where its unit takes one lane.
TEST(BoxSumsInL2, AreAnsweredLaterWhereTheAtomicUnitsAreSlow) {
  const auto cycles = [](Opcode opcode, int ctas, int lanes_per_cycle) {
    return timed(opcode, ctas, lanes_per_cycle).outcome.cycles;
  };
  EXPECT_EQ(cycles(Opcode::kUtmastg2d, 4, 1), cycles(Opcode::kUtmastg2d, 4, 8));
  const Cycle two = cycles(Opcode::kUtmaredgAdd2d, 2, 1);
  EXPECT_GT(two, cycles(Opcode::kUtmaredgAdd2d, 2, 8));
  constexpr Cycle kCyclesOfBox = kWords / 8;
  EXPECT_EQ(cycles(Opcode::kUtmaredgAdd2d, 4, 1), two + 2 * kCyclesOfBox);
  EXPECT_EQ(cycles(Opcode::kUtmaredgAdd2d, 8, 1), two + 6 * kCyclesOfBox);
}

}  // namespace
}  // namespace tcsim::gpu::test
