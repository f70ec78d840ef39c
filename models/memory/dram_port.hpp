#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/dram/channel.hpp"
#include "models/dram/params.hpp"
#include "models/memory/clock_ratio.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::memory {

/// A sector that DRAM has read or written.
struct DramFill {
  std::uint64_t tag = 0;
  bool write = false;
  Cycle at_slice = 0;  ///< L2 clock
};

/// The memory controllers: where L2 slices and DRAM channels meet, and the two clocks with them. A
/// controller moves bursts into its channel's queue as the queue has room; what does not fit waits
/// in order.
class DramPorts {
 public:
  /// Controllers look at their channels every kStep L2 cycles; needs controller_latency_cycles >= 2
  /// * kStep.
  static constexpr Cycle kStep = 8;

  DramPorts(const dram::DramParams& params, int l2_mhz, int memory_mhz, int slices,
            int interleave_bytes, stats::Group& parent);

  /// Asks for `burst`, whose address is a byte of `slice`; the slice sends it at `at` (L2 clock).
  void send(int slice, dram::Burst burst, Cycle at);

  /// Carries channels as far as requests sent before L2 cycle `now` determine them; what is done is
  /// appended, not in order of time. Call at every multiple of kStep while `is_busy`.
  void advance(Cycle now, std::vector<DramFill>& done);

  bool is_busy() const { return under_way_ > 0; }

 private:
  struct Controller {
    Controller(const dram::DramTiming& timing, const dram::DramParams& params, stats::Group& parent,
               const std::string& name)
        : channel(timing, params, parent, name) {}

    dram::Channel channel;
    std::deque<std::pair<Cycle, dram::Burst>>
        backlog;  ///< memory clock from which the channel may have it
    Cycle last_push = 0;
    Cycle return_free = 0;  ///< L2 clock: the way back to the slices takes the next burst
    int under_way = 0;
  };

  /// The controller of byte `address` of `slice`; `address` becomes that within its channel.
  Controller& controller_of(int slice, std::uint64_t& address);

  const ClockRatio l2_to_dram_;
  const ClockRatio dram_to_l2_;
  const Cycle send_latency_;
  const Cycle return_latency_;
  const Cycle return_interval_;  ///< of two bursts of a channel
  const int slices_;
  const std::uint64_t interleave_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  std::int64_t under_way_ = 0;
  std::vector<dram::Completion> completions_;
};

}  // namespace tcsim::memory
