// Latencies and bandwidths of L1, L2 and DRAM of GPU 0, and the cost of a launch. Rows go to
// microbench.csv and microbench_table.csv.
//
//   memory --out FOLDER
#include <cstdio>

#include "scripts/gpu/common/device.cuh"
#include "scripts/gpu/common/options.hpp"
#include "scripts/gpu/common/sm_clock.cuh"
#include "scripts/gpu/microbench/chase.cuh"
#include "scripts/gpu/microbench/figures.hpp"
#include "scripts/gpu/microbench/launches.cuh"
#include "scripts/gpu/microbench/streams.cuh"

namespace tcsim::measure {
namespace {

constexpr std::size_t kKib = 1024;
constexpr std::size_t kMib = 1024 * kKib;

std::string size_words(std::size_t bytes) {
  return bytes % kMib == 0 ? std::to_string(bytes / kMib) + "MiB"
                           : std::to_string(bytes / kKib) + "KiB";
}

std::string range(const Spread& spread) {
  return "min=" + number(spread.min) + ";max=" + number(spread.max);
}

/// The level that holds `bytes`: L1 up to its largest size, L2 up to the size the device reports.
const char* level_of(std::size_t bytes, const Device& device) {
  const auto l1 = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  if (bytes <= l1) return "l1";
  return bytes <= static_cast<std::size_t>(device.l2_bytes) ? "l2" : "dram";
}

void measure_chases(Figures& figures, const Device& device) {
  for (const std::size_t bytes :
       {16 * kKib,  32 * kKib,  64 * kKib, 96 * kKib, 128 * kKib, 160 * kKib,
        192 * kKib, 512 * kKib, 1 * kMib,  2 * kMib,  4 * kMib,   8 * kMib,
        12 * kMib,  16 * kMib,  20 * kMib, 24 * kMib, 28 * kMib,  32 * kMib,
        40 * kMib,  48 * kMib,  64 * kMib, 96 * kMib, 128 * kMib, 256 * kMib}) {
    const Spread cycles = chase_cycles(bytes);
    const std::string size = size_words(bytes);
    figures.add({level_of(bytes, device), "chase bytes=" + size, cycles.median, "cycles", "latency",
                 "global_load_pointer_chase@" + size, "", "sms=8;" + range(cycles)});
  }
}

void measure_reads(Figures& figures, const Device& device) {
  const auto add = [&](std::size_t bytes, bool is_private) {
    const Spread rate = read_rate(bytes, is_private);
    const std::string size = size_words(bytes);
    figures.add({is_private ? "l1" : level_of(bytes, device),
                 "read bytes=" + size + (is_private ? " private=1" : ""), rate.median, "GB/s",
                 "bandwidth",
                 (is_private ? "per_SM_working_set_load@" : "shared_working_set_load@") + size,
                 "b64", range(rate)});
  };
  for (const std::size_t bytes : {64 * kKib, 128 * kKib}) add(bytes, true);
  for (const std::size_t bytes : {1 * kMib, 2 * kMib, 4 * kMib, 8 * kMib, 16 * kMib, 24 * kMib,
                                  32 * kMib, 48 * kMib, 64 * kMib})
    add(bytes, false);
}

template <int Reads, int Writes>
void measure_stream(Figures& figures, const Device& device, const char* name, int warps,
                    int ctas_per_sm) {
  // Far more than the L2, far less than the memory.
  const std::size_t bytes = std::min<std::size_t>(
      1024 * kMib, static_cast<std::size_t>(device.memory_bytes) / 8 / kMib * kMib);
  const Spread rate = stream_rate<Reads, Writes>(bytes, warps, ctas_per_sm);
  std::string test = "stream reads=" + std::to_string(Reads) + " writes=" + std::to_string(Writes);
  std::string what = std::string("dram_stream_") + name;
  if (warps * ctas_per_sm < 64) {
    test += " warps=" + std::to_string(warps) + " ctas=" + std::to_string(ctas_per_sm);
    what += "@" + std::to_string(warps * ctas_per_sm) + "_warps_per_SM";
  }
  figures.add({"dram", test, rate.median, "GB/s", "bandwidth", what, "b64", range(rate)});
}

void measure_streams(Figures& figures, const Device& device) {
  // Compute capabilities 7.5, 8.6 and 8.9 hold 32 or 48 warps on an SM: one large CTA.
  const int full = attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / 1024;
  measure_stream<1, 0>(figures, device, "read", 32, full);
  measure_stream<0, 1>(figures, device, "init", 32, full);
  measure_stream<1, 1>(figures, device, "scale", 32, full);
  measure_stream<2, 1>(figures, device, "triad", 32, full);
  for (const int warps : {1, 2, 4, 8, 16, 32})
    measure_stream<1, 0>(figures, device, "read", warps, 1);
}

void measure_launches(Figures& figures) {
  const Spread graph = kernel_interval_us(true);
  figures.add({"launch", "null", graph.median, "us", "kernel_to_kernel_interval",
               "empty kernel, graph", "", range(graph)});
  const Spread stream = kernel_interval_us(false);
  figures.add({"launch", "", stream.median, "us", "kernel_to_kernel_interval",
               "empty kernel, stream", "", range(stream)});
}

}  // namespace
}  // namespace tcsim::measure

int main(int argc, char** argv) {
  using namespace tcsim::measure;
  return run_program("memory", [&] {
    const Options options(argc, argv, {"out"});
    const Device device = open_device();
    Figures figures(options.text("out", "."), device.board.gpu, measured_sm_mhz());
    Parts parts("memory");
    parts.run("launches", [&] { measure_launches(figures); });
    parts.run("chases", [&] { measure_chases(figures, device); });
    parts.run("reads", [&] { measure_reads(figures, device); });
    parts.run("streams", [&] { measure_streams(figures, device); });
    parts.require_all();
  });
}
