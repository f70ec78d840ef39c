#include "tests/gpu/result.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tcsim::gpu::test {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

std::uint64_t Result::at(const std::string& path) const {
  for (const auto& [name, value] : counters)
    if (name == path) return value;
  throw std::out_of_range("no counter " + path);
}

std::uint64_t Result::sum(const std::string& name) const {
  std::uint64_t total = 0;
  for (const auto& [path, value] : counters)
    if (path.ends_with("." + name)) total += value;
  return total;
}

Result run(const std::vector<isa::KernelLaunch>& launches, const SimulationOptions& options,
           const config::Machine& machine, const std::function<bool(const Progress&)>& keep_going,
           const std::vector<isa::KernelLaunch>& before) {
  Simulation simulation(machine, options);
  Result result;
  result.outcome = simulation.run(launches, keep_going, before);
  result.counters = counter_values(simulation.counters());
  return result;
}

Result run_after(const std::vector<isa::KernelLaunch>& before,
                 const std::vector<isa::KernelLaunch>& launches, const SimulationOptions& options) {
  return run(launches, options, ampere_machine(), {}, before);
}

void expect_a_reason_for_every_cycle(const Result& result) {
  for (int sm = 0; sm < 4; ++sm)
    for (int sub_core = 0; sub_core < 4; ++sub_core) {
      const std::string prefix =
          "sm[" + std::to_string(sm) + "].sub_core[" + std::to_string(sub_core) + "].cycles_";
      std::uint64_t sum = 0;
      for (const auto& [path, value] : result.counters)
        if (path.starts_with(prefix)) sum += value;
      EXPECT_EQ(sum, static_cast<std::uint64_t>(result.outcome.cycles)) << prefix;
    }
}

}  // namespace tcsim::gpu::test
