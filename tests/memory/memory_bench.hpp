#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "models/memory/memory_system.hpp"
#include "tests/support/ampere_params.hpp"
#include "tests/support/counters.hpp"

namespace tcsim::memory::test {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

/// A small chip: two GPCs of four SMs, the slices of ampere_l2(), every clock at 1 GHz.
struct MemorySetup {
  NocParams noc = ampere_noc();
  L2Params l2 = ampere_l2();
  TlbParams tlb = perfect_tlb();
  dram::DramParams dram = ampere_dram();
  MemoryClocks clocks{1000, 1000, 1000};
  Topology topology = make_topology(2, {4, 4});
};

// Latencies of MemorySetup without other traffic.
inline constexpr Cycle kHit = 45 + 62 + 45;  // way in, slice, way out
inline constexpr Cycle kDramRead =
    15 + 15 + 2;  // tRCD and CL of 14.2 ns at 1 GHz, burst of four beats
inline constexpr Cycle kMiss = kHit + 228 + kDramRead;  // 228: controller, both ways

/// A memory system with requests issued by hand. Reads receive tags 0, 1, 2, ...
class MemoryBench {
 public:
  explicit MemoryBench(const MemorySetup& setup = {})
      : root_("test"),
        system_(setup.noc, setup.l2, setup.tlb, setup.dram, setup.clocks, setup.topology, root_),
        inbox_(static_cast<std::size_t>(setup.topology.sms())) {}

  /// Reads `sectors` of the line at `address`; returns the tag. In order of (cycle, sm).
  std::uint32_t read(Cycle cycle, std::uint64_t address, int sectors = 0b0001, int sm = 0,
                     bool of_tile = false) {
    run_to(cycle);
    LineRequest request;
    request.cycle = cycle;
    request.address = address;
    request.tag = next_tag_++;
    request.sm = static_cast<std::uint16_t>(sm);
    request.sectors = static_cast<std::uint8_t>(sectors);
    request.of_tile = of_tile;
    left_[request.tag] = cycle;
    inject(request);
    return request.tag;
  }
  void write(Cycle cycle, std::uint64_t address, int sectors = 0b1111, int partial = 0,
             int sm = 0) {
    run_to(cycle);
    inject({cycle,
            address,
            0,
            static_cast<std::uint16_t>(sm),
            static_cast<std::uint8_t>(sectors),
            LineAccess::kWrite,
            static_cast<std::uint8_t>(partial),
            {}});
  }

  /// An atomic (kReduction: its answer is kWriteDone); returns the tag.
  std::uint32_t atomic(Cycle cycle, std::uint64_t address, AtomicLanes lanes, int sectors = 0b0001,
                       LineAccess access = LineAccess::kAtomic, int sm = 0) {
    run_to(cycle);
    const std::uint32_t tag = access == LineAccess::kAtomic ? next_tag_++ : 0;
    if (access == LineAccess::kAtomic) left_[tag] = cycle;
    inject({cycle, address, tag, static_cast<std::uint16_t>(sm), static_cast<std::uint8_t>(sectors),
            access, 0, lanes});
    return tag;
  }

  /// Reads as LDGSTS.LTC128B does; returns the tag.
  std::uint32_t read_with_line(Cycle cycle, std::uint64_t address, int sectors = 0b0001,
                               int sm = 0) {
    run_to(cycle);
    const std::uint32_t tag = next_tag_++;
    left_[tag] = cycle;
    LineRequest request{.cycle = cycle, .address = address, .tag = tag};
    request.sm = static_cast<std::uint16_t>(sm);
    request.sectors = static_cast<std::uint8_t>(sectors);
    request.prefetches_line = true;
    inject(request);
    return tag;
  }

  /// Reads only into the L2.
  void prefetch(Cycle cycle, std::uint64_t address, int sectors = 0b0001, int sm = 0) {
    run_to(cycle);
    LineRequest request{.cycle = cycle, .address = address};
    request.sm = static_cast<std::uint16_t>(sm);
    request.sectors = static_cast<std::uint8_t>(sectors);
    request.access = LineAccess::kPrefetch;
    inject(request);
  }

  /// Reads flag `word` of the line at `address`; returns the tag.
  std::uint32_t read_flag(Cycle cycle, std::uint64_t address, int word, int sm = 0) {
    run_to(cycle);
    const std::uint32_t tag = next_tag_++;
    left_[tag] = cycle;
    LineRequest request{.cycle = cycle, .address = address, .tag = tag};
    request.sm = static_cast<std::uint16_t>(sm);
    request.sectors = static_cast<std::uint8_t>(1 << word / 8);
    request.flag = {true, static_cast<std::uint8_t>(word), 0};
    inject(request);
    return tag;
  }
  /// Adds `by` to that flag.
  void raise(Cycle cycle, std::uint64_t address, int word, int by, int sm = 0) {
    run_to(cycle);
    LineRequest request{.cycle = cycle, .address = address};
    request.sm = static_cast<std::uint16_t>(sm);
    request.sectors = static_cast<std::uint8_t>(1 << word / 8);
    request.access = LineAccess::kReduction;
    request.atomic = {1, 1, AtomicClass::kInteger32};
    request.flag = {true, static_cast<std::uint8_t>(word), static_cast<std::int16_t>(by)};
    inject(request);
  }
  /// The value that the read of a flag with `tag` returned.
  std::uint32_t flag(std::uint32_t tag) const { return flags_.at(tag); }

  /// Advances the system to `cycle` in legal steps.
  void run_to(Cycle cycle) {
    while (now_ < cycle) {
      now_ = std::min(cycle, now_ + system_.largest_quantum());
      system_.advance(now_, inbox_);
      collect();
    }
  }
  /// Runs until all requests are answered; returns the cycle reached. Fails the test after 100 000
  /// cycles.
  Cycle settle() {
    const Cycle give_up = now_ + 100'000;
    while (due_ > 0 && now_ < give_up) run_to(now_ + system_.largest_quantum());
    EXPECT_EQ(due_, 0) << "requests without an answer";
    return now_;
  }

  /// When the answer to `tag` arrived. Throws std::out_of_range if it has not.
  Cycle arrival(std::uint32_t tag) const { return arrived_.at(tag); }
  Cycle latency(std::uint32_t tag) const { return arrived_.at(tag) - left_.at(tag); }
  bool has_arrived(std::uint32_t tag) const { return arrived_.contains(tag); }

  /// Brings the line at `address` into the L2; returns the cycle after which everything is idle.
  Cycle warm(std::uint64_t address, int sectors = 0b1111, int sm = 0) {
    read(now_, address, sectors, sm);
    return settle();
  }
  /// Latency of a lone read from now on.
  Cycle lone_latency(std::uint64_t address, int sectors = 0b0001, int sm = 0) {
    const std::uint32_t tag = read(now_, address, sectors, sm);
    settle();
    return latency(tag);
  }

  std::uint64_t sum(const std::string& counter) const { return counter_sum(root_, counter); }
  std::uint64_t at(const std::string& path) const { return counter_at(root_, "memory." + path); }
  MemorySystem& system() { return system_; }
  Cycle now() const { return now_; }

 private:
  void inject(const LineRequest& request) {
    system_.inject(request);
    ++due_;
  }
  void collect() {
    for (auto& responses : inbox_) {
      for (const LineResponse& response : responses) {
        EXPECT_GE(response.cycle, now_) << "an answer in the past";
        arrived_[response.tag] = response.cycle;
        flags_[response.tag] = response.flag;
        --due_;
      }
      responses.clear();
    }
  }

  stats::Group root_;
  MemorySystem system_;
  Cycle now_ = 0;
  std::uint32_t next_tag_ = 0;
  int due_ = 0;  ///< answers that have not arrived
  std::map<std::uint32_t, Cycle> left_;
  std::map<std::uint32_t, Cycle> arrived_;
  std::map<std::uint32_t, std::uint32_t> flags_;
  std::vector<std::vector<LineResponse>> inbox_;
};

/// Address of the n-th line (two to a block) of a slice under "modulo" interleaving of ampere_l2().
inline std::uint64_t line_of_slice(int slice, int n = 0) {
  constexpr std::uint64_t kBlock = 256;
  constexpr std::uint64_t kSlices = 8;
  const auto number = static_cast<std::uint64_t>(n);
  return (number / 2 * kSlices + static_cast<std::uint64_t>(slice)) * kBlock + number % 2 * 128;
}

inline constexpr int kWays = 4;  // of ampere_l2()
inline constexpr int kSets = 16;

/// The n-th line that falls into the set of line_of_slice(0).
inline std::uint64_t same_set(int n) { return line_of_slice(0, n * kSets); }

}  // namespace tcsim::memory::test
