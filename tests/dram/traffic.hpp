#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "models/dram/channel.hpp"

namespace tcsim::dram::test {

/// The n-th burst of a stream of requests.
using Traffic = std::function<Burst(std::uint64_t n)>;

inline Traffic sequential_reads(int burst_bytes) {
  return [burst_bytes](std::uint64_t n) { return Burst{n, n * burst_bytes, false}; };
}

inline Traffic sequential_writes(int burst_bytes) {
  return [burst_bytes](std::uint64_t n) { return Burst{n, n * burst_bytes, true}; };
}

/// Reads one array and writes another, alternating `chunk` bursts of each. The second begins where
/// a copy of 16 MiB per channel would put it.
inline Traffic copy(int burst_bytes, std::uint64_t chunk) {
  constexpr std::uint64_t kSecondArray = std::uint64_t{1} << 24;
  return [=](std::uint64_t n) {
    const bool write = n / chunk % 2 == 1;
    const std::uint64_t element = n / (2 * chunk) * chunk + n % chunk;
    return Burst{n, element * burst_bytes + (write ? kSecondArray : 0), write};
  };
}

/// Bursts at uniformly random addresses of 256 MiB, `write_percent` of them writes.
inline Traffic random_bursts(int burst_bytes, unsigned seed, unsigned write_percent) {
  constexpr std::uint64_t kSpan = std::uint64_t{1} << 28;
  return [=, random = std::mt19937_64(seed)](std::uint64_t n) mutable {
    const std::uint64_t address = random() % kSpan / burst_bytes * burst_bytes;
    return Burst{n, address, random() % 100 < write_percent};
  };
}

/// Keeps the queue of `channel` full with `bursts` requests and returns the clock at which the last
/// one is complete.
inline Cycle saturate(Channel& channel, Traffic traffic, std::uint64_t bursts) {
  std::vector<Completion> done;
  Cycle now = 0;
  Cycle last = 0;
  std::uint64_t pushed = 0;
  while (pushed < bursts || channel.next_event() != kNever) {
    while (pushed < bursts && channel.can_accept()) channel.push(now, traffic(pushed++));
    now = channel.next_event() + 1;
    done.clear();
    channel.advance(now, done);
    if (!done.empty()) last = done.back().at;
  }
  return last;
}

/// Part of the peak data rate that `bursts` saturated requests of `traffic` reach, in percent
/// rounded down.
inline int efficiency_percent(const DramParams& params, int memory_mhz, Traffic traffic,
                              std::uint64_t bursts) {
  stats::Group root("test");
  const DramTiming timing = resolve(params, memory_mhz);
  Channel channel(timing, params, root, "channel");
  const Cycle clocks = saturate(channel, std::move(traffic), bursts);
  return static_cast<int>(static_cast<Cycle>(bursts) * timing.burst_clocks * 100 / clocks);
}

}  // namespace tcsim::dram::test
