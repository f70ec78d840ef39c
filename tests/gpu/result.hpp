#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/gpu/simulation.hpp"
#include "tests/support/ampere_machine.hpp"
#include "tests/support/counters.hpp"

namespace tcsim::gpu::test {

/// A run with its counters.
struct Result {
  Outcome outcome;
  tcsim::test::CounterValues counters;

  /// The counter at `path`. Throws std::out_of_range.
  std::uint64_t at(const std::string& path) const;
  /// Sum over all counters called `name`.
  std::uint64_t sum(const std::string& name) const;
};

/// Runs `launches` one after another, with `before` first as a warm-up.
Result run(const std::vector<isa::KernelLaunch>& launches, const SimulationOptions& options = {},
           const config::Machine& machine = tcsim::test::ampere_machine(),
           const std::function<bool(const Progress&)>& keep_going = {},
           const std::vector<isa::KernelLaunch>& before = {});
/// The same on the machine of tests.
Result run_after(const std::vector<isa::KernelLaunch>& before,
                 const std::vector<isa::KernelLaunch>& launches,
                 const SimulationOptions& options = {});

/// For the four SMs of that machine.
void expect_a_reason_for_every_cycle(const Result& result);

}  // namespace tcsim::gpu::test
