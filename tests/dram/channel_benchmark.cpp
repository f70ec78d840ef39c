// Host time per burst of a saturated V100 pseudo-channel. items_per_second is bursts per second.

#include <benchmark/benchmark.h>

#include "tests/dram/machines.hpp"
#include "tests/dram/traffic.hpp"

namespace tcsim::dram::test {
namespace {

constexpr std::uint64_t kBursts = 100'000;

void run(benchmark::State& state, const Traffic& traffic) {
  const DramTiming timing = resolve(v100_channel, kV100MemoryMhz);
  for (auto _ : state) {
    stats::Group root("benchmark");
    Channel channel(timing, v100_channel, root, "channel");
    benchmark::DoNotOptimize(saturate(channel, traffic, kBursts));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBursts));
}

void stream_reads(benchmark::State& state) { run(state, sequential_reads(32)); }
void stream_writes(benchmark::State& state) { run(state, sequential_writes(32)); }
void copy_lines(benchmark::State& state) { run(state, copy(32, 4)); }
void random_reads(benchmark::State& state) { run(state, random_bursts(32, 1, 0)); }
void random_mixed(benchmark::State& state) { run(state, random_bursts(32, 1, 50)); }

BENCHMARK(stream_reads);
BENCHMARK(stream_writes);
BENCHMARK(copy_lines);
BENCHMARK(random_reads);
BENCHMARK(random_mixed);

}  // namespace
}  // namespace tcsim::dram::test

BENCHMARK_MAIN();
