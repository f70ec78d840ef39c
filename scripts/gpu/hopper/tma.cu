// TMA of a Hopper GPU: next to wgmma, in a ring of stages, latencies, tensor descriptors, gathered
// pages, stores and reductions. Rows go to hopper_tma.csv.
//
//   tma --out FOLDER
#include <cstdio>

#include "scripts/gpu/common/device.cuh"
#include "scripts/gpu/common/options.hpp"
#include "scripts/gpu/hopper/ring.cuh"
#include "scripts/gpu/hopper/rows.hpp"
#include "scripts/gpu/microbench/launch_shape.cuh"

namespace tcsim::measure {
namespace {

constexpr std::size_t kMib = std::size_t{1} << 20;

/// Fills memory with small numbers of 2 bytes that are not all equal.
__global__ void fill(std::uint32_t* words, std::size_t count) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const auto bits = static_cast<std::uint32_t>(i * 2654435761u);
    words[i] = 0x3c003c00u | (bits & 0x83ff83ffu);
  }
}

class Copies {
 public:
  explicit Copies(Rows& rows) : rows_(rows), data_(3072 * kMib / 4), flush_(256 * kMib / 4) {
    fill<<<1024, 256>>>(data_.get(), data_.size());
    finish("fill");
    sms_ = attribute(cudaDevAttrMultiProcessorCount);
  }

  template <int N, int Consumers>
  void rings() {
    constexpr int kMostBytes = 220 * 1024;
    for (const int ctas : {1, sms_}) {
      for (const bool from_dram : {false, true}) {
        if (from_dram && ctas == 1) continue;
        for (const int stages : {2, 3, 4, 6}) {
          if (stages * kStageBytes < N, Consumers >> kMostBytes) continue;
          Ring ring;
          ring.stages = stages;
          ring.row_tiles = from_dram ? 256 : 8;
          const auto add = [&](const char* mode) {
            const RingRate rate = ring_rate<N, Consumers>(ring, ctas, data_.get());
            rows_.add("ring",
                      std::string(mode) + " m" + std::to_string(64 * Consumers) + " n" +
                          std::to_string(N),
                      ring.multiplies ? rate.multiplying : rate.copying, "cycles/k-tile",
                      "stages=" + std::to_string(stages) + ";ctas=" + std::to_string(ctas) +
                          ";from=" + (from_dram ? "dram" : "l2") + ";own_b=" +
                          std::to_string(ring.own_b) + ";copying=" + number(rate.copying) +
                          ";stage_bytes=" + std::to_string(kStageBytes<N, Consumers>));
          };
          add("coupled");
          ring.coupled = false;
          add("beside");
          ring.multiplies = false;
          add("copies alone");
          if (stages == 4 || stages == 3) {
            ring.own_b = true;
            add("copies alone");
            ring.multiplies = true;
            add("beside");
            ring.coupled = true;
            add("coupled");
            ring.own_b = false;
          }
          ring.multiplies = true;
          ring.copies = false;
          if (!from_dram) add("products alone");
        }
      }
    }
    std::printf("  ring m%d n%d\n", 64 * Consumers, N);
    std::fflush(stdout);
  }

  void latencies();
  void descriptors();
  void gathers();
  void writes();

 private:
  void flush() {
    check(cudaMemset(flush_.get(), 0, flush_.size() * 4), "cudaMemset");
    finish("flush");
  }

  Rows& rows_;
  DeviceArray<std::uint32_t> data_;
  DeviceArray<std::uint32_t> flush_;
  int sms_ = 0;
};

constexpr int kMostCopies = 16;

/// One copy after the other by one thread: a box of the tensor if `bytes` is 0.
__global__ void copy_chain(const __grid_constant__ CUtensorMap map, const char* data, int rows,
                           int copies, int bytes, long long* cycles) {
  extern __shared__ unsigned char memory[];
  __shared__ std::uint64_t barrier_word;
  const std::uint32_t barrier = shared_address(&barrier_word);
  const std::uint32_t to = (shared_address(memory) + 1023) & ~1023u;
  if (!elected()) return;
  init_barrier(barrier, 1);
  publish_barriers();
  for (int copy = 0; copy < copies; ++copy) {
    const long long begin = clock64();
    arrive_expecting(barrier, rows * 128);
    if (bytes == 0)
      copy_box(to, &map, 0, copy * rows, barrier);
    else
      copy_bytes(to, data + std::size_t(copy) * bytes, bytes, barrier);
    wait(barrier, copy & 1);
    cycles[copy] = clock64() - begin;
  }
}

void Copies::latencies() {
  DeviceArray<long long> cycles(kMostCopies);
  check(cudaFuncSetAttribute(copy_chain, cudaFuncAttributeMaxDynamicSharedMemorySize, 34 * 1024),
        "cudaFuncSetAttribute");
  for (const bool is_box : {true, false}) {
    for (const int rows : {1, 8, 32, 64, 128, 256}) {
      const CUtensorMap map = matrix_map(data_.get(), 64, 1 << 16, rows);
      for (const bool from_dram : {true, false}) {
        std::vector<double> all;
        double first = 0;
        for (int run = 0; run < 3; ++run) {
          if (from_dram) flush();
          copy_chain<<<1, 32, 34 * 1024>>>(map, reinterpret_cast<char*>(data_.get()), rows,
                                           kMostCopies, is_box ? 0 : rows * 128, cycles.get());
          finish("latency");
          const auto read = cycles.read();
          first = static_cast<double>(read[0]);
          if (run > 0) all.insert(all.end(), read.begin() + 2, read.end());
        }
        const Spread spread = spread_of(all);
        rows_.add("latency", std::string(is_box ? "box " : "bytes ") + std::to_string(rows * 128),
                  spread.median, "cycles",
                  std::string("from=") + (from_dram ? "dram" : "l2") +
                      ";min=" + number(spread.min) + ";max=" + number(spread.max) +
                      ";first=" + number(first));
      }
    }
  }
}

/// The first and the second box of a tensor, `delay` cycles after a prefetch of its descriptor, or
/// without one.
__global__ void first_box(const __grid_constant__ CUtensorMap map, bool prefetches, int delay,
                          long long* cycles) {
  extern __shared__ unsigned char memory[];
  __shared__ std::uint64_t barrier_word;
  const std::uint32_t barrier = shared_address(&barrier_word);
  const std::uint32_t to = (shared_address(memory) + 1023) & ~1023u;
  if (!elected()) return;
  init_barrier(barrier, 1);
  publish_barriers();
  if (prefetches) asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
  const long long start = clock64();
  while (clock64() - start < delay) {
  }
  for (int copy = 0; copy < 3; ++copy) {
    const long long begin = clock64();
    arrive_expecting(barrier, 1024);
    copy_box(to, &map, 0, copy * 8, barrier);
    wait(barrier, copy & 1);
    cycles[copy] = clock64() - begin;
  }
}

void Copies::descriptors() {
  DeviceArray<long long> cycles(3);
  for (const bool prefetches : {false, true}) {
    for (const int delay : {200, 500, 1000, 3000}) {
      std::vector<double> first, second;
      for (int run = 0; run < 12; ++run) {
        const CUtensorMap map = matrix_map(data_.get(), 64, (1 << 12) + 8 * run, 8);
        first_box<<<1, 32, 4096>>>(map, prefetches, delay, cycles.get());
        finish("descriptor");
        const auto read = cycles.read();
        if (run < 2) continue;
        first.push_back(static_cast<double>(read[0]));
        second.push_back(static_cast<double>(read[1]));
      }
      rows_.add("descriptor", prefetches ? "prefetched" : "not prefetched", spread_of(first).median,
                "cycles",
                "second=" + number(spread_of(second).median) + ";delay=" + std::to_string(delay) +
                    ";min=" + number(spread_of(first).min) +
                    ";max=" + number(spread_of(first).max));
    }
  }
}

/// A thread that reads pages through a ring of stages: page p of CTA c is chosen by a hash, or is
/// the next one.
__global__ void gather_pages(const char* data, unsigned pages_of_data, int pages, int stages,
                             int bytes, bool scatters) {
  extern __shared__ unsigned char memory[];
  __shared__ std::uint64_t barriers[16];
  const std::uint32_t full = shared_address(barriers);
  const std::uint32_t to = (shared_address(memory) + 127) & ~127u;
  if (!elected()) return;
  for (int stage = 0; stage < stages; ++stage) init_barrier(full + 8 * stage, 1);
  publish_barriers();
  const auto issue = [&](int page, int stage) {
    const unsigned index = blockIdx.x * pages + page;
    const unsigned from = scatters ? __umulhi(index * 2654435761u, pages_of_data) : index;
    arrive_expecting(full + 8 * stage, bytes);
    copy_bytes(to + stage * bytes, data + std::size_t(from) * bytes, bytes, full + 8 * stage);
  };
  for (int page = 0; page < stages && page < pages; ++page) issue(page, page);
  RingPlace place;
  for (int page = 0; page < pages; ++page) {
    wait(full + 8 * place.stage, place.parity);
    if (page + stages < pages) issue(page + stages, place.stage);
    place.advance(stages);
  }
}

void Copies::gathers() {
  for (const int bytes : {4096, 16384}) {
    const unsigned pages_of_data = static_cast<unsigned>(3072 * kMib / bytes);
    const unsigned all = static_cast<unsigned>(1024 * kMib / bytes);
    for (const bool scatters : {false, true}) {
      for (const int stages : {2, 4, 8}) {
        for (const int per_sm : {1, 2}) {
          const int shared = std::max(stages * bytes + 128, 210 * 1024 / per_sm);
          if (shared > 220 * 1024 / per_sm) continue;
          check(cudaFuncSetAttribute(gather_pages, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     shared),
                "cudaFuncSetAttribute");
          for (const int pages : {4, 8, 16, 32, 64, 0}) {
            const unsigned ctas = pages == 0 ? sms_ * per_sm : all / pages;
            const int each = pages == 0 ? static_cast<int>(all / ctas) : pages;
            std::vector<double> rates;
            for (int run = 0; run < 4; ++run) {
              const double ms = milliseconds([&] {
                gather_pages<<<ctas, 32, shared>>>(reinterpret_cast<char*>(data_.get()),
                                                   pages_of_data, each, stages, bytes, scatters);
              });
              finish("gather");
              if (run > 0) rates.push_back(1.0 * ctas * each * bytes / ms / 1e6);
            }
            rows_.add("gather", scatters ? "scattered" : "in order", spread_of(rates).median,
                      "GB/s",
                      "bytes=" + std::to_string(bytes) + ";stages=" + std::to_string(stages) +
                          ";ctas_per_sm=" + std::to_string(per_sm) +
                          ";pages=" + std::to_string(each) + ";ctas=" + std::to_string(ctas));
          }
        }
      }
    }
  }
}

/// Stores or reductions of `bytes` from shared memory, `open` of them in flight, within a region of
/// `region` bytes that starts `distance` bytes after that of the previous CTA.
__global__ void write_chain(char* data, std::size_t distance, int region, int bytes, int writes,
                            bool adds, long long* cycles) {
  extern __shared__ __align__(128) unsigned char memory[];
  for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x)
    reinterpret_cast<float*>(memory)[i] = 0.0f;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (warp_index() != 0 || !elected()) return;
  char* mine = data + blockIdx.x * distance;
  long long begin = 0;
  int offset = 0;
  for (int i = 0; i < writes; ++i) {
    if (i == writes / 4) begin = clock64();
    char* to = mine + offset;
    offset = offset + bytes == region ? 0 : offset + bytes;
    if (adds)
      add_floats(to, shared_address(memory), bytes);
    else
      store_bytes(to, shared_address(memory), bytes);
    close_bulk_group();
    wait_until_read<3>();
  }
  wait_until_written();
  cycles[blockIdx.x] = clock64() - begin;
}

void Copies::writes() {
  for (const bool adds : {false, true}) {
    for (const int ctas : {1, 8, 32, sms_}) {
      for (const int bytes : {1024, 4096, 16384}) {
        for (const int kind : {0, 1, 2}) {  // own regions, the same region, more than the L2 holds
          if (kind == 2 && ctas < sms_) continue;
          const int region = kind == 2 ? 2 << 20 : 64 << 10;
          const std::size_t distance = kind == 1 ? 0 : region;
          const int writes = (kind == 2 ? 4 << 20 : 2 << 20) / bytes;
          DeviceArray<long long> cycles(ctas);
          std::vector<double> each;
          double ms = 0;
          for (int run = 0; run < 3; ++run) {
            ms = milliseconds([&] {
              write_chain<<<ctas, 128, 16384>>>(reinterpret_cast<char*>(data_.get()), distance,
                                                region, bytes, writes, adds, cycles.get());
            });
            finish("writes");
            if (run == 0) continue;
            for (const long long cta : cycles.read())
              each.push_back(1.0 * bytes * (writes - writes / 4) / static_cast<double>(cta));
          }
          rows_.add("write", adds ? "add.f32" : "store", spread_of(each).median, "B/cycle/SM",
                    "ctas=" + std::to_string(ctas) + ";bytes=" + std::to_string(bytes) +
                        ";regions=" +
                        (kind == 0   ? "own"
                         : kind == 1 ? "same"
                                     : "dram") +
                        ";gbps=" + number(1.0 * bytes * writes * ctas / ms / 1e6));
        }
      }
    }
  }
}

}  // namespace
}  // namespace tcsim::measure

int main(int argc, char** argv) {
  using namespace tcsim::measure;
  return run_program("tma", [&] {
    const Options options(argc, argv, {"out"});
    const Device device = open_device();
    Rows rows(options.text("out", ".") + "/hopper_tma.csv", device.board.gpu);
    Copies copies(rows);
    copies.rings<64, 1>();
    copies.rings<128, 1>();
    copies.rings<256, 1>();
    copies.rings<64, 2>();
    copies.rings<128, 2>();
    copies.rings<192, 2>();
    copies.rings<256, 2>();
    copies.latencies();
    copies.descriptors();
    copies.gathers();
    copies.writes();
  });
}
