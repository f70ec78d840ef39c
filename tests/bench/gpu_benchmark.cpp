#include <benchmark/benchmark.h>

#include <cstdlib>

#include "models/isa/assemble.hpp"
#include "models/sm/params.hpp"
#include "sim/config/target.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/library/load.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim {
namespace {

/// A whole A100 at the FP16 product of size N^3, tile by the chooser. Counters: warp instructions
/// and simulated cycles per second of host time.
void whole_a100_gemm(benchmark::State& state) {
  const config::Machine machine = library::load_machine("a100");
  kernels::GemmProblem problem;
  problem.m = problem.n = problem.k = state.range(0);
  const kernels::Target target = config::make_target(machine, problem);
  isa::KernelLaunch launch =
      kernels::make_gemm(problem, kernels::choose_tile(problem, target), target);
  for (isa::WarpProgram& program : launch.programs) {
    isa::assemble(program, sm::timing_table(machine.sm));
  }
  double instructions = 0;
  double cycles = 0;
  for (auto _ : state) {
    gpu::Simulation simulation(machine, {});
    const gpu::Outcome outcome = simulation.run({launch}, nullptr);
    instructions += static_cast<double>(outcome.kernels.front().warp_instructions);
    cycles += static_cast<double>(outcome.cycles);
  }
  state.counters["warp_instructions"] =
      benchmark::Counter(instructions, benchmark::Counter::kIsRate);
  state.counters["cycles"] = benchmark::Counter(cycles, benchmark::Counter::kIsRate);
}
BENCHMARK(whole_a100_gemm)->Arg(1024)->Arg(2048)->Arg(4096)->Unit(benchmark::kSecond);

/// Start-up to answer of `tcsim peak a100`, as a user sees it.
void peak_command(benchmark::State& state) {
  for (auto _ : state) {
    if (std::system(TCSIM_BINARY " peak a100 > /dev/null") != 0) {
      state.SkipWithError("tcsim peak a100 failed");
      return;
    }
  }
}
BENCHMARK(peak_command)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace tcsim
