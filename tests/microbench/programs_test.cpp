#include "sim/microbench/programs.hpp"

#include <gtest/gtest.h>

#include <set>

#include "models/sm/params.hpp"
#include "sim/config/load.hpp"
#include "sim/gpu/occupancy.hpp"
#include "workloads/microbench/pointer_chase.hpp"

namespace tcsim::microbench {
namespace {

TestWords words(const std::string& text) {
  std::vector<std::string> mistakes;
  TestWords test = parse_test(text, mistakes);
  EXPECT_TRUE(mistakes.empty()) << text;
  return test;
}

/// Every program with a unit of its own.
const std::vector<std::pair<std::string, std::string>> test_examples{
    {"HMMA.16816.F32 warps=4 ilp=3", "MAC/cycle/SM"},
    {"LDS stride=8", "cycles"},
    {"LDG.E warps=32 stride=3", "cycles/warp access"},
    {"LDSM.16.M88.4", "cycles"},
    {"BAR.SYNC warps=16 ctas=2", "cycles"},
    {"chase bytes=64KiB", "cycles"},
    {"chase bytes=1MiB", "cycles"},
    {"read bytes=64KiB private=1", "GB/s"},
    {"read bytes=4MiB", "B/cycle/SM"},
    {"stream reads=2 writes=1", "GB/s"},
    {"null ctas=32", "us"},
    {"chase bytes=1MiB across=1", "cycles"},
    {"cold_read bytes=1MiB ctas=16", "us"},
    {"grid_barrier ctas=32", "cycles"},
    {"hand_over", "ns"},
    {"SYNCS.PHASECHK.TRANS64.TRYWAIT", "cycles"}};

TEST(Programs, AreValidLaunchesOnEveryMachineWithATable) {
  for (const std::string name : {"v100", "t4", "a100", "h100"}) {
    const config::Machine machine = config::load_machine(name);
    const isa::TimingTable timing = sm::timing_table(machine.sm);
    for (const auto& [text, unit] : test_examples) {
      const TestWords test = words(text);
      bool supported = true;
      for (const isa::Opcode opcode : operation_steps(test.program))
        supported = supported && timing[static_cast<std::size_t>(opcode)].supported();
      if (!supported) continue;
      EXPECT_EQ(check_unit(test, unit), "") << text;
      for (const isa::KernelLaunch& launch :
           make_measurement(machine, timing, test, unit).launches) {
        EXPECT_TRUE(isa::validate(launch).empty())
            << name << ' ' << text << ": " << isa::validate(launch).front();
        EXPECT_GT(gpu::occupancy(machine, launch).ctas_per_sm, 0) << name << ' ' << text;
      }
    }
  }
}

TEST(Programs, AnHmma884IsAllItsSteps) {
  EXPECT_EQ(operation_steps("HMMA.884.F32.F32").size(), 4U);
  EXPECT_EQ(operation_steps("HMMA.884.F16.F16").size(), 2U);
  EXPECT_EQ(operation_steps("FFMA").size(), 1U);
  EXPECT_TRUE(operation_steps("FFMB").empty());
}

/// Offsets that a walk of `bytes` visits, by position.
std::vector<std::int64_t> offsets(std::int64_t bytes, std::int64_t first, std::int64_t count) {
  const isa::TimingTable timing = sm::timing_table(config::load_machine("a100").sm);
  const isa::KernelLaunch launch =
      PointerChase(bytes, 128).walk({.first = first, .count = count}, timing);
  std::vector<std::int64_t> visited;
  isa::Bindings bindings{};
  for (std::int64_t i = 0; i < count; ++i) {
    bindings[static_cast<std::size_t>(isa::Variable::kLoop0)] = i;
    visited.push_back(isa::evaluate(launch.programs[0].accesses[0].global.offset, bindings));
  }
  return visited;
}

TEST(PointerChase, VisitsEveryLineOnceAPass) {
  for (const std::int64_t bytes : {8 * 1024, 64 * 1024, 512 * 1024, 3 * 512 * 1024}) {
    const std::int64_t lines = PointerChase(bytes, 128).lines();
    EXPECT_EQ(lines, bytes / 128);
    const auto visited = offsets(bytes, 0, lines);
    const std::set<std::int64_t> different(visited.begin(), visited.end());
    EXPECT_EQ(static_cast<std::int64_t>(different.size()), lines) << bytes;
    EXPECT_EQ(*different.begin(), 0);
    EXPECT_EQ(*different.rbegin(), bytes - 128);
  }
}

TEST(PointerChase, APartContinuesTheWalk) {
  const auto whole = offsets(64 * 1024, 0, 300);
  const auto part = offsets(64 * 1024, 100, 200);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 100));
}

TEST(PointerChase, HasNoNeighboursBesideEachOther) {
  const auto visited = offsets(4 << 20, 0, 4096);
  for (std::size_t i = 1; i < visited.size(); ++i)
    EXPECT_GT(std::abs(visited[i] - visited[i - 1]), 4096) << i;
}

}  // namespace
}  // namespace tcsim::microbench
