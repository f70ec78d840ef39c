#include "sim/networks/stream_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tcsim::networks {
namespace {

/// x (1000 bytes) and w (a weight) make y, through a workspace.
Program one_step() {
  Program program;
  program.tensors = {{1000, false}, {500, true}, {2000, false}};
  Step step;
  step.bindings = {{"x", 0, 0}, {"w", 1, 100}, {"y", 2, 0}};
  program.steps = {step};
  return program;
}

std::vector<isa::KernelLaunch> two_kernels() {
  std::vector<isa::KernelLaunch> launches(2);
  launches[0].buffers = {
      {"x", 0x1000, 1000, true}, {"w", 0x2000, 400, true}, {"t", 0x3000, 300, false}};
  launches[1].buffers = {{"t", 0x3000, 300, true}, {"y", 0x4000, 2000, false}};
  return launches;
}

class StreamMemoryTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::uint64_t place(int instance, std::size_t launch, std::size_t buffer) const {
    return memory_.placed(program_.steps[0], two_kernels(), instance)[launch]
        .buffers[buffer]
        .base_address;
  }

  const Program program_ = one_step();
  const Placement placement_ = networks::place(program_);
  const StreamMemory memory_{program_, placement_, 2};
};

TEST_F(StreamMemoryTest, InstancesShareWeightsOnly) {
  EXPECT_EQ(place(0, 0, 1), place(1, 0, 1));
  for (const auto& [launch, buffer] : {std::pair{0, 0}, {0, 2}, {1, 1}})
    EXPECT_NE(place(0, launch, buffer), place(1, launch, buffer)) << launch << ' ' << buffer;
}

TEST_F(StreamMemoryTest, KernelsOfAStepShareItsWorkspace) {
  EXPECT_EQ(place(0, 0, 2), place(0, 1, 0));
}

TEST_F(StreamMemoryTest, BuffersLieApart) {
  struct Range {
    std::uint64_t first;
    std::uint64_t bytes;
  };
  std::vector<Range> ranges;
  for (const int instance : {0, 1}) {
    ranges.push_back({place(instance, 0, 0), 1000});
    ranges.push_back({place(instance, 0, 2), 300});
    ranges.push_back({place(instance, 1, 1), 2000});
  }
  ranges.push_back({place(0, 0, 1), 400});
  std::ranges::sort(ranges, {}, &Range::first);
  for (std::size_t i = 1; i < ranges.size(); ++i)
    EXPECT_GE(ranges[i].first, ranges[i - 1].first + ranges[i - 1].bytes) << i;
}

}  // namespace
}  // namespace tcsim::networks
