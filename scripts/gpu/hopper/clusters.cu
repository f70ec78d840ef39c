// Clusters of a Hopper GPU: multicast, reads and writes of another CTA's shared memory, arrivals at
// its barriers; reads of the same lines by many SMs; dependent launches. Rows go to
// hopper_clusters.csv.
//
//   clusters --out FOLDER [--only multicast|remote|same_lines|launches]
#include <cstdio>

#include "scripts/gpu/common/device.cuh"
#include "scripts/gpu/common/graph.cuh"
#include "scripts/gpu/common/options.hpp"
#include "scripts/gpu/hopper/barrier.cuh"
#include "scripts/gpu/hopper/bulk_copy.cuh"
#include "scripts/gpu/hopper/rows.hpp"
#include "scripts/gpu/microbench/launch_shape.cuh"

namespace tcsim::measure {
namespace {

struct Launch {
  int ctas;
  int cluster = 1;
  int threads;
  int shared = 0;
  bool early = false;  ///< may begin before the previous kernel has ended
  cudaStream_t stream = nullptr;
};

template <class... Parameters, class... Arguments>
void launch(const Launch& shape, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.ctas);
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared;
  config.stream = shape.stream;
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {static_cast<unsigned>(shape.cluster), 1, 1};
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = attributes;
  config.numAttrs = shape.early ? 2 : 1;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "launch");
}

enum class Share { kSlices, kAlone, kLeader };
constexpr int kStages = 4;

/// Every CTA of a cluster receives the same boxes: each copies a slice for all, each copies all for
/// itself, or the first copies all for all.
__global__ void share_boxes(const __grid_constant__ CUtensorMap map, Share share, int size,
                            int rows, int boxes, int stages, long long* cycles) {
  extern __shared__ unsigned char memory[];
  __shared__ std::uint64_t barriers[2 * kStages];
  const std::uint32_t full = shared_address(barriers);
  const std::uint32_t empty = full + 8 * kStages;
  const std::uint32_t to = (shared_address(memory) + 1023) & ~1023u;
  const int rank = static_cast<int>(rank_in_cluster());
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < stages; ++stage) {
      init_barrier(full + 8 * stage, 1);
      init_barrier(empty + 8 * stage, share == Share::kAlone ? 1 : size);
    }
    publish_barriers();
  }
  meet_cluster();
  const auto all = static_cast<std::uint16_t>((1 << size) - 1);
  const int first_row = static_cast<int>(blockIdx.x) / size * 1024;
  const bool brings = share != Share::kLeader || rank == 0;
  const int slice = rows / size;
  RingPlace at;
  const int warp = warp_index();
  if (warp == 0 && elected()) {
    for (int box = 0; box < boxes; ++box) {
      const int stage = at.stage;
      if (brings)
        wait(empty + 8 * stage, at.parity ^ 1);
      else if (box >= stages)
        wait(full + 8 * stage, at.parity ^ 1);
      at.advance(stages);
      arrive_expecting(full + 8 * stage, rows * 128);
      const std::uint32_t place = to + stage * rows * 128;
      const int y = first_row + box * rows % 1024;
      if (share == Share::kAlone) {
        copy_box(place, &map, 0, y, full + 8 * stage);
      } else if (share == Share::kSlices) {
        copy_box_to_all(place + rank * slice * 128, &map, 0, y + rank * slice, full + 8 * stage,
                        all);
      } else if (brings) {
        copy_box_to_all(place, &map, 0, y, full + 8 * stage, all);
      }
    }
  } else if (warp == 1 && elected()) {
    long long begin = 0;
    for (int box = 0; box < boxes; ++box) {
      const int stage = at.stage;
      wait(full + 8 * stage, at.parity);
      at.advance(stages);
      if (box == boxes / 4) begin = clock64();
      if (share == Share::kAlone)
        arrive(empty + 8 * stage);
      else if (share == Share::kLeader)
        arrive_at(empty + 8 * stage, 0);
      else
        for (int other = 0; other < size; ++other) arrive_at(empty + 8 * stage, other);
    }
    cycles[blockIdx.x] = clock64() - begin;
  }
  __syncwarp();
  __syncthreads();
  meet_cluster();
}

const char* word(Share share) {
  return share == Share::kSlices ? "slices" : share == Share::kAlone ? "alone" : "leader";
}

void measure_multicast(Rows& rows) {
  constexpr int kBoxes = 400;
  const int sms = attribute(cudaDevAttrMultiProcessorCount);
  DeviceArray<std::uint32_t> data(std::size_t{32} << 20);
  data.clear();
  check(cudaFuncSetAttribute(share_boxes, cudaFuncAttributeMaxDynamicSharedMemorySize, 140 * 1024),
        "cudaFuncSetAttribute");
  for (const int size : {1, 2, 4, 8}) {
    for (const Share share : {Share::kSlices, Share::kAlone, Share::kLeader}) {
      if (size == 1 && share != Share::kAlone) continue;
      for (const int box_rows : {16, 32, 64, 128, 256}) {
        if (box_rows / size < 8) continue;
        for (const int stages : {1, 2, 4}) {
          for (const bool everywhere : {false, true}) {
            // Clusters of 4 and 8 fit on at least 120 SMs.
            const int ctas = everywhere ? (size > 2 ? 120 : sms / size * size) : size;
            const int slice = share == Share::kSlices ? box_rows / size : box_rows;
            const CUtensorMap map = matrix_map(data.get(), 64, 1 << 18, slice);
            DeviceArray<long long> cycles(ctas);
            std::vector<double> each;
            for (int run = 0; run < 3; ++run) {
              launch({ctas, size, 64, 4 * 256 * 128 + 1024}, share_boxes, map, share, size,
                     box_rows, kBoxes, stages, cycles.get());
              finish("multicast");
              if (run == 0) continue;
              for (const long long cta : cycles.read())
                each.push_back(128.0 * box_rows * (kBoxes - kBoxes / 4 - 1) /
                               static_cast<double>(cta));
            }
            rows.add("multicast", word(share), spread_of(each).median, "B/cycle/SM",
                     "cluster=" + std::to_string(size) + ";box=" + std::to_string(box_rows * 128) +
                         ";stages=" + std::to_string(stages) + ";ctas=" + std::to_string(ctas) +
                         ";min=" + number(spread_of(each).min) +
                         ";max=" + number(spread_of(each).max));
          }
        }
      }
    }
  }
}

enum class Remote { kChase, kArrive, kLoad, kStore };

__device__ std::uint32_t remote_address(std::uint32_t local, int rank) {
  std::uint32_t remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(local), "r"(rank));
  return remote;
}

/// CTA `rank` works on the shared memory of CTA (rank + distance) % size.
__global__ void reach(Remote what, int size, int distance, int trips, long long* cycles,
                      std::uint32_t* sink) {
  extern __shared__ __align__(128) std::uint32_t words[];
  __shared__ std::uint64_t barrier_word;
  const int rank = static_cast<int>(rank_in_cluster());
  const int other = (rank + distance) % size;
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = 0;
  const std::uint32_t barrier = shared_address(&barrier_word);
  if (threadIdx.x == 0) {
    init_barrier(barrier, 1);
    publish_barriers();
  }
  __syncthreads();
  meet_cluster();
  const std::uint32_t base = remote_address(shared_address(words), other);
  std::uint32_t sum = 0;
  const long long begin = clock64();
  if (what == Remote::kChase && threadIdx.x == 0) {
    std::uint32_t at = base;
    for (int trip = 0; trip < trips; ++trip) {
      std::uint32_t read;
      asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(read) : "r"(at) : "memory");
      at += read;
    }
    sum = at;
  } else if (what == Remote::kArrive && threadIdx.x == 0 && rank < 2) {
    for (int trip = 0; trip < trips; ++trip) {
      if (rank == 1) wait(barrier, trip & 1);
      arrive_at(barrier, 1 - rank);
      if (rank == 0) wait(barrier, trip & 1);
    }
  } else if (what == Remote::kLoad) {
    for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        std::uint32_t a, b, c, d;
        const std::uint32_t at = base + (((i + 4 * trip) * blockDim.x + threadIdx.x) * 16 & 32767);
        asm volatile("ld.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(at)
                     : "memory");
        sum ^= a ^ b ^ c ^ d;
      }
    }
  } else if (what == Remote::kStore) {
    for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t at = base + ((i * blockDim.x + threadIdx.x) * 16 & 32767);
        asm volatile("st.shared::cluster.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(at), "r"(trip)
                     : "memory");
      }
    }
  }
  __syncthreads();
  meet_cluster();
  const long long end = clock64();
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}

/// Two warps of a CTA that take turns to arrive at each other's barrier.
__global__ void alternate(int trips, long long* cycles) {
  __shared__ std::uint64_t barriers[2];
  const std::uint32_t first = shared_address(barriers);
  if (threadIdx.x == 0) {
    init_barrier(first, 1);
    init_barrier(first + 8, 1);
    publish_barriers();
  }
  __syncthreads();
  const int warp = warp_index();
  if (!elected()) return;
  const long long begin = clock64();
  for (int trip = 0; trip < trips; ++trip) {
    if (warp == 1) wait(first, trip & 1);
    arrive(first + 8 * warp);
    if (warp == 0) wait(first + 8, trip & 1);
  }
  if (warp == 0) *cycles = clock64() - begin;
}

/// Waits for a phase that is already complete, and arrivals without waits, both by one thread.
__global__ void lone_barrier(bool waits, int trips, long long* cycles) {
  __shared__ std::uint64_t word;
  const std::uint32_t barrier = shared_address(&word);
  if (!elected()) return;
  init_barrier(barrier, waits ? 1 : 1 << 19);
  publish_barriers();
  const long long begin = clock64();
  for (int trip = 0; trip < trips; ++trip) {
    if (waits)
      wait(barrier, 1);
    else
      arrive(barrier);
  }
  *cycles = clock64() - begin;
}

void measure_barriers(Rows& rows) {
  DeviceArray<long long> cycles(1);
  const auto slope = [&](auto run) {
    const auto count = [&](int trips) {
      run(trips);
      finish("barrier");
      return static_cast<double>(cycles.read()[0]);
    };
    count(100);
    return (count(1100) - count(100)) / 1000;
  };
  rows.add("barrier", "arrival there and back, same CTA",
           slope([&](int trips) { alternate<<<1, 64>>>(trips, cycles.get()); }), "cycles");
  rows.add("barrier", "wait on a complete phase",
           slope([&](int trips) { lone_barrier<<<1, 32>>>(true, trips, cycles.get()); }), "cycles");
  rows.add("barrier", "arrival",
           slope([&](int trips) { lone_barrier<<<1, 32>>>(false, trips, cycles.get()); }),
           "cycles");
}

void measure_remote(Rows& rows) {
  check(cudaFuncSetAttribute(reach, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 * 1024),
        "cudaFuncSetAttribute");
  const auto slope = [&](Remote what, int size, int clusters, int distance, int threads, int trips,
                         int shared) {
    const int ctas = size * clusters;
    DeviceArray<long long> cycles(ctas);
    DeviceArray<std::uint32_t> sink(std::size_t(ctas) * threads);
    const auto run = [&](int count) {
      launch({ctas, size, threads, shared}, reach, what, size, distance, count, cycles.get(),
             sink.get());
      finish("remote");
      std::vector<double> each;
      for (const long long cta : cycles.read()) each.push_back(static_cast<double>(cta));
      return spread_of(each).median;
    };
    run(trips);
    return (run(5 * trips) - run(trips)) / (4.0 * trips);
  };
  for (const int size : {1, 2, 4, 8}) {
    for (int distance = size > 1 ? 1 : 0; distance < size || (size == 1 && distance < 1);
         ++distance)
      rows.add("remote", "load latency", slope(Remote::kChase, size, 1, distance, 32, 200, 32768),
               "cycles",
               "cluster=" + std::to_string(size) + ";distance=" + std::to_string(distance));
    if (size > 1)
      rows.add("remote", "arrival there and back",
               slope(Remote::kArrive, size, 1, 1, 32, 200, 32768), "cycles",
               "cluster=" + std::to_string(size));
    for (const int threads : {128, 1024})
      for (const bool everywhere : {false, true})
        for (const Remote what : {Remote::kLoad, Remote::kStore}) {
          const int clusters = everywhere ? 120 / size : 1;
          const double cycles =
              slope(what, size, clusters, size > 1 ? 1 : 0, threads, 50, 120 * 1024);
          rows.add("remote", what == Remote::kLoad ? "loads" : "stores",
                   4.0 * 16 * threads / cycles, "B/cycle/SM",
                   "cluster=" + std::to_string(size) + ";threads=" + std::to_string(threads) +
                       ";clusters=" + std::to_string(clusters));
        }
  }
}

/// Every CTA reads the same region box by box; CTA i begins `skew` cycles after CTA i - 1, with
/// `groups` different start times.
__global__ void read_same(const char* data, int bytes, int boxes, int skew, int groups,
                          long long* cycles) {
  extern __shared__ unsigned char memory[];
  __shared__ std::uint64_t barriers[kStages];
  const std::uint32_t full = shared_address(barriers);
  const std::uint32_t to = (shared_address(memory) + 127) & ~127u;
  if (!elected()) return;
  for (int stage = 0; stage < kStages; ++stage) init_barrier(full + 8 * stage, 1);
  publish_barriers();
  const long long start = clock64();
  while (clock64() - start < 4000 + skew * (static_cast<int>(blockIdx.x) % groups)) {
  }
  const auto issue = [&](int box, int stage) {
    arrive_expecting(full + 8 * stage, bytes);
    copy_bytes(to + stage * bytes, data + std::size_t(box) * bytes, bytes, full + 8 * stage);
  };
  const long long begin = clock64();
  for (int box = 0; box < kStages; ++box) issue(box, box);
  RingPlace at;
  for (int box = 0; box < boxes; ++box) {
    wait(full + 8 * at.stage, at.parity);
    if (box + kStages < boxes) issue(box + kStages, at.stage);
    at.advance(kStages);
  }
  cycles[blockIdx.x] = clock64() - begin;
}

void measure_same_lines(Rows& rows) {
  constexpr int kBytes = 16384;
  constexpr int kBoxes = 256;
  const int sms = attribute(cudaDevAttrMultiProcessorCount);
  DeviceArray<std::uint32_t> data(std::size_t{kBytes} * kBoxes / 4);
  data.clear();
  check(cudaFuncSetAttribute(read_same, cudaFuncAttributeMaxDynamicSharedMemorySize, 160 * 1024),
        "cudaFuncSetAttribute");
  for (const int ctas : {1, 2, 4, 8, 16, 32, 64, sms}) {
    for (const int skew : {0, 25, 50, 100, 200, 400, 800, 1600}) {
      for (const int groups : {2, 1000}) {
        if (skew == 0 && groups == 2) continue;
        if (groups > 2 && skew > 200) continue;
        DeviceArray<long long> cycles(ctas);
        std::vector<double> each;
        for (int run = 0; run < 2; ++run) {
          read_same<<<ctas, 32, 160 * 1024>>>(reinterpret_cast<char*>(data.get()), kBytes, kBoxes,
                                              skew, groups, cycles.get());
          finish("same lines");
          if (run == 0) continue;
          for (const long long cta : cycles.read())
            each.push_back(1.0 * kBytes * kBoxes / static_cast<double>(cta));
        }
        const Spread spread = spread_of(each);
        rows.add("same_lines", "runs of 16384", spread.median, "B/cycle/SM",
                 "ctas=" + std::to_string(ctas) + ";skew=" + std::to_string(skew) +
                     ";groups=" + std::to_string(groups) + ";min=" + number(spread.min) +
                     ";max=" + number(spread.max));
      }
    }
  }
}

__global__ void dependent(int prologue, int body, bool early) {
  const auto spin = [](int cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
  };
  spin(prologue);
  if (early) asm volatile("griddepcontrol.wait;" ::: "memory");
  if (early) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  spin(body);
}

void measure_launches(Rows& rows) {
  constexpr int kKernels = 64;
  const int sms = attribute(cudaDevAttrMultiProcessorCount);
  for (const int ctas : {1, sms, 4 * sms}) {
    for (const int prologue : {0, 2000}) {
      for (const int body : {0, 4000}) {
        for (const bool early : {false, true}) {
          const Graph graph([&](cudaStream_t stream) {
            for (int kernel = 0; kernel < kKernels; ++kernel)
              launch({ctas, 1, 128, 0, early, stream}, dependent, prologue, body, early);
          });
          std::vector<double> each;
          for (int run = 0; run < 5; ++run) {
            const double ms = milliseconds([&] { graph.launch(nullptr); });
            finish("dependent launches");
            if (run > 0) each.push_back(1000 * ms / kKernels);
          }
          rows.add("launch", early ? "dependent, early" : "dependent", spread_of(each).median, "us",
                   "ctas=" + std::to_string(ctas) + ";prologue_cycles=" + std::to_string(prologue) +
                       ";body_cycles=" + std::to_string(body));
        }
      }
    }
  }
}

}  // namespace
}  // namespace tcsim::measure

int main(int argc, char** argv) {
  using namespace tcsim::measure;
  return run_program("clusters", [&] {
    const Options options(argc, argv, {"out", "only"});
    const Device device = open_device();
    Rows rows(options.text("out", ".") + "/hopper_clusters.csv", device.board.gpu);
    const std::string only = options.text("only", "");
    const auto wanted = [&](const char* part) { return only.empty() || only == part; };
    if (wanted("multicast")) measure_multicast(rows);
    if (wanted("remote")) measure_barriers(rows);
    if (wanted("remote")) measure_remote(rows);
    if (wanted("same_lines")) measure_same_lines(rows);
    if (wanted("launches")) measure_launches(rows);
  });
}
