#include <algorithm>
#include <cstdint>
#include <utility>

#include "models/isa/group_mma.hpp"
#include "sim/gpu/occupancy.hpp"
#include "sim/microbench/measurements.hpp"
#include "workloads/microbench/cluster_stream.hpp"
#include "workloads/microbench/grid_flags.hpp"
#include "workloads/microbench/group_loop.hpp"
#include "workloads/microbench/ring_pipeline.hpp"

namespace tcsim::microbench {
namespace {

// Lengths of the two kernels whose difference is the measurement.
constexpr std::int64_t kShort = 32;
constexpr std::int64_t kLong = 160;
// FLASHVLA, tma_ring.py: footprints of its regimes, bytes that a launch reads, iterations per
// place.
constexpr std::int64_t kFootprintInL2 = std::int64_t{4} << 20;
constexpr std::int64_t kFootprintInDram = std::int64_t{256} << 20;
constexpr std::int64_t kReadByBoxes = std::int64_t{64} << 20;
constexpr std::int64_t kFillsOfRing = 8;
constexpr std::int64_t kMostTrips = 1024;  // the probe has more; further ones add no information

}  // namespace

Measurement measure_group(const Bench& bench) {
  GroupLoop loop;
  loop.product = operation_steps(bench.test.program).front();
  loop.per_group = static_cast<int>(bench.test.value("per_group", 8));
  loop.open = static_cast<int>(bench.test.value("open", 1));
  loop.warpgroups = static_cast<int>(bench.test.value("warpgroups", 1));
  const bool whole_chip = bench.unit == "TFLOPS" || bench.test.value("ctas", 0) > 0;
  if (whole_chip) loop.ctas = bench.machine.gpu.sms;
  Measurement measurement;
  for (const std::int64_t groups : {kShort, kShort, kLong}) {  // the first warms up
    loop.groups = groups;
    measurement.launches.push_back(group_loop(loop, bench.timing));
  }
  const double products = static_cast<double>(kLong - kShort) * loop.per_group;
  const double macs = static_cast<double>(isa::kGroupWarps * isa::warp_macs(loop.product)) *
                      loop.warpgroups * products;
  const double scale =
      bench.unit == "TFLOPS" ? 2 * macs * bench.machine.gpu.sms * bench.gigahertz() / 1000 : macs;
  const bool is_rate = bench.unit != "cycles/instruction";
  measurement.figure = [=](const std::vector<Cycle>& cycles) {
    const auto difference = static_cast<double>(cycles[2] - cycles[1]);
    return is_rate ? scale / difference : difference / products;
  };
  return measurement;
}

/// A kernel as FLASHVLA's probe launches it, with so many bytes read in all: either as a second
/// launch, when the L2 holds all of 4 MiB, or whatever such launches leave of 256 MiB; or once,
/// after another program's writes.
Measurement measure_boxes(const Bench& bench) {
  BoxStream stream;
  stream.box_bytes = static_cast<int>(bench.test.value("bytes", 0)) / 128 * 128;
  stream.group = static_cast<int>(bench.test.value("group", 1));
  stream.places = static_cast<int>(bench.test.value("places", 1));
  stream.warps = static_cast<int>(bench.test.value("warps", 1));
  stream.work = static_cast<int>(bench.test.value("work", 0));
  stream.ctas = bench.test.value("ctas", 1);
  stream.pitch_bytes = bench.test.value("pitch", 128) / 128 * 128;
  const bool from_l2 = bench.test.value("l2", 0) == 1;
  stream.footprint_bytes =
      bench.test.value("footprint", from_l2 ? kFootprintInL2 : kFootprintInDram);
  const std::int64_t at_once =
      stream.ctas * stream.warps * stream.group * std::int64_t{stream.box_bytes};
  stream.trips = bench.test.value(
      "trips", std::clamp(kReadByBoxes / at_once, kFillsOfRing * stream.places, kMostTrips));
  Measurement measurement;
  measurement.overwritten_l2 = bench.test.value("overwritten", 0) == 1;
  measurement.launches.assign(measurement.overwritten_l2 ? 1 : 2, box_stream(stream, bench.timing));
  measurement.figure = [=, trips = static_cast<double>(stream.trips), unit = bench.unit,
                        gigahertz = bench.gigahertz()](const std::vector<Cycle>& cycles) {
    const auto time = static_cast<double>(cycles.back());
    if (unit == "GB/s") return gigahertz * trips * static_cast<double>(at_once) / time;
    if (unit == "us") return time / gigahertz / 1000;
    return time / trips / (unit == "ns" ? gigahertz : 1.0);
  };
  return measurement;
}

namespace {

Measurement measure_halves(const Bench& bench, bool produces, bool consumes) {
  constexpr std::int64_t kFewTiles = 8;
  constexpr std::int64_t kManyTiles = 24;
  constexpr int kRowTilesInL2 = 8;
  constexpr int kRowTilesInDram = 256;
  const bool from_l2 = bench.test.value("l2", 0) == 1;
  RingPipeline pipeline{.product = operation_steps(ring_product(bench.test)).front(),
                        .stages = static_cast<int>(bench.test.value("stages", 4)),
                        .warpgroups = static_cast<int>(bench.test.value("warpgroups", 1)),
                        .produces = produces,
                        .consumes = consumes,
                        .own_b = bench.test.value("own", 0) == 1,
                        .row_tiles = from_l2 ? kRowTilesInL2 : kRowTilesInDram,
                        .ctas = bench.test.value("ctas", bench.machine.gpu.sms)};
  Measurement measurement;
  for (const std::int64_t trips : {kManyTiles, kFewTiles, kManyTiles}) {  // the first warms up
    pipeline.trips = trips;
    measurement.launches.push_back(ring_pipeline(pipeline, bench.timing));
    if (!from_l2) pipeline.base += static_cast<std::uint64_t>(matrix_bytes(pipeline));
  }
  measurement.figure = [](const std::vector<Cycle>& cycles) {
    return static_cast<double>(cycles[2] - cycles[1]) / (kManyTiles - kFewTiles);
  };
  return measurement;
}

}  // namespace

std::string ring_product(const TestWords& test) {
  return "HGMMA.64x" + std::to_string(test.value("n", 128)) + "x16.F32.BF16";
}

Measurement measure_ring(const Bench& bench) { return measure_halves(bench, true, true); }
Measurement measure_ring_copies(const Bench& bench) { return measure_halves(bench, true, false); }
Measurement measure_ring_products(const Bench& bench) { return measure_halves(bench, false, true); }

namespace {

// Meetings and hand-overs in the two kernels whose difference is the measurement.
constexpr int kFewFlags = 4;
constexpr int kManyFlags = 20;
constexpr std::uint64_t kFlagsApart = 4096;  // each launch has its own counter

/// The time of one use of a counter, from the launches that `make` creates.
template <class Make>
Measurement measure_flags(double scale, Make make) {
  Measurement measurement;
  std::uint64_t base = 1 << 20;
  for (const int times : {kFewFlags, kFewFlags, kManyFlags})  // the first warms up
    measurement.launches.push_back(make(times, base += kFlagsApart));
  measurement.figure = [scale](const std::vector<Cycle>& cycles) {
    return scale * static_cast<double>(cycles[2] - cycles[1]) / (kManyFlags - kFewFlags);
  };
  return measurement;
}

}  // namespace

Measurement measure_grid_barrier(const Bench& bench) {
  const double scale = bench.unit == "us" ? 1.0 / bench.machine.clocks.sm_mhz : 1.0;
  const auto warps = static_cast<int>(bench.test.value("warps", 8));
  return measure_flags(scale, [&](int times, std::uint64_t base) {
    return grid_meetings(bench.test.value("ctas", 1), warps, times, base, bench.timing);
  });
}

Measurement measure_hand_over(const Bench& bench) {
  const double scale = bench.unit == "ns" ? 1.0 / bench.gigahertz() : 1.0;
  return measure_flags(scale, [&](int times, std::uint64_t base) {
    return counter_hand_overs(times, base, bench.timing);
  });
}

Measurement measure_cluster_barrier(const Bench& bench) {
  constexpr int kWarps = 8;
  const auto size = static_cast<int>(bench.test.value("size", 0));
  Measurement measurement;
  for (const std::int64_t times : {kShort, kShort, kLong})  // the first warms up
    measurement.launches.push_back(cluster_meetings(size, kWarps, times, bench.timing));
  const double scale = (bench.unit == "us" ? 1.0 / bench.machine.clocks.sm_mhz : 1.0) /
                       static_cast<double>(kLong - kShort);
  measurement.figure = [scale](const std::vector<Cycle>& cycles) {
    return scale * static_cast<double>(cycles[2] - cycles[1]);
  };
  return measurement;
}

namespace {

/// Per working SM.
Measurement measure_cluster_rate(const Bench& bench, bool stores) {
  ClusterStream stream{.stores = stores};
  stream.size = static_cast<int>(bench.test.value("size", 2));
  stream.all_work = bench.test.value("all", 0) == 1;
  stream.warps = static_cast<int>(bench.test.value("warps", 32));
  stream.bytes = static_cast<int>(bench.test.value("bytes", 16));
  Measurement measurement;
  for (const std::int64_t trips : {kShort, kShort, kLong}) {  // the first warms up
    stream.trips = trips;
    measurement.launches.push_back(cluster_stream(stream, bench.timing));
  }
  measurement.figure = [bytes = static_cast<double>((kLong - kShort) * bytes_per_trip(stream))](
                           const std::vector<Cycle>& cycles) {
    return bytes / static_cast<double>(cycles[2] - cycles[1]);
  };
  return measurement;
}

}  // namespace

Measurement measure_cluster_loads(const Bench& bench) {
  if (bench.unit == "B/cycle/SM") return measure_cluster_rate(bench, /*stores=*/false);
  const bool is_hop = bench.unit == "cycles/hop";  // half of what the other CTA is farther away
  Measurement measurement;
  for (const int rank : {1, 0}) {
    if (rank == 0 && !is_hop) continue;
    for (const std::int64_t loads : {kShort, kShort, kLong})  // the first warms up
      measurement.launches.push_back(cluster_chase(loads, rank, bench.timing));
  }
  measurement.figure = [is_hop](const std::vector<Cycle>& cycles) {
    const auto load = [&](std::size_t first) {
      return static_cast<double>(cycles[first + 2] - cycles[first + 1]) /
             static_cast<double>(kLong - kShort);
    };
    return is_hop ? (load(0) - load(3)) / 2 : load(0);
  };
  return measurement;
}

Measurement measure_cluster_stores(const Bench& bench) {
  return measure_cluster_rate(bench, /*stores=*/true);
}

/// The slope over two tile sizes, per working SM.
Measurement measure_cluster_puts(const Bench& bench) {
  ClusterPut put{.size = static_cast<int>(bench.test.value("size", 2)),
                 .all_work = bench.test.value("all", 0) == 1};
  put.command_bytes = static_cast<int>(bench.test.value("bytes", put.command_bytes));
  Measurement measurement;
  const int small = put.tile_bytes / 3;                     // two commands
  for (const int bytes : {small, small, put.tile_bytes}) {  // the first warms up
    put.tile_bytes = bytes;
    measurement.launches.push_back(cluster_put(put, bench.timing));
  }
  measurement.figure = [bytes = put.tile_bytes - small](const std::vector<Cycle>& cycles) {
    return static_cast<double>(bytes) / static_cast<double>(cycles[2] - cycles[1]);
  };
  return measurement;
}

/// For CTAs that use all the shared memory of an SM.
Measurement count_clusters(const Bench& bench) {
  isa::KernelLaunch launch =
      cluster_meetings(static_cast<int>(bench.test.value("size", 0)), 1, 1, bench.timing);
  launch.shared_bytes_per_cta = bench.machine.sm.shared_memory.max_bytes_per_cta;
  Measurement measurement;
  measurement.launches.push_back(launch);
  measurement.figure = [clusters = gpu::resident_clusters(bench.machine, launch)](
                           const std::vector<Cycle>&) { return static_cast<double>(clusters); };
  return measurement;
}

}  // namespace tcsim::microbench
