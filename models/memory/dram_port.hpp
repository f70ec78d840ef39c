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
#include "models/memory/divider.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::memory {

/// A sector that DRAM has read or written.
struct DramFill {
  std::uint64_t tag = 0;
  bool write = false;
  Cycle at_slice = 0;  ///< L2 clock
};

/// The memory controllers, where L2 slices and DRAM channels meet, and with them the two clocks. A
/// controller moves bursts into its channel's queue while the queue has room; the others wait in
/// order.
///
/// Controllers check their channels every kStep L2 cycles, but slices need the results only after
/// the controllers' latency. So a channel can be advanced through many such steps at once, on its
/// own, on any thread, with its state in the host's caches. The grouping of steps does not affect
/// results.
class DramPorts {
 public:
  /// In L2 cycles. Requires controller_latency_cycles >= 2 * kStep.
  static constexpr Cycle kStep = 8;

  DramPorts(const dram::DramParams& params, int l2_mhz, int memory_mhz, int slices,
            int interleave_bytes, stats::Group& parent);

  /// Requests `burst`, whose address is a byte of `slice`; the slice sends it at `at` (L2 clock).
  void send(int slice, dram::Burst burst, Cycle at);

  std::size_t channels() const { return controllers_.size(); }
  /// Starts advancing channels through the steps before L2 cycle `until`; all requests before
  /// `until` have been sent. Requires that end() has completed the previous period.
  void begin(Cycle until);
  /// Advances channel `channel` through this period; may run concurrently with other channels and
  /// with send().
  void carry(std::size_t channel);
  /// Advances the channels that have not been advanced. Appends what is done, ordered by step, then
  /// by channel.
  void end(std::vector<DramFill>& done);
  /// The L2 cycle up to which slices may run before the next end().
  Cycle due() const { return due_; }
  /// L2 cycles between a step and the first one that may need it.
  Cycle slack() const { return slack_; }

  bool is_busy() const { return under_way_ > 0; }

 private:
  struct Controller {
    Controller(const dram::DramTiming& timing, const dram::DramParams& params, stats::Group& parent,
               const std::string& name)
        : channel(timing, params, parent, name) {}

    dram::Channel channel;
    /// Bursts with the memory clock from which the channel may take them.
    std::deque<std::pair<Cycle, dram::Burst>> backlog;
    Cycle last_push = 0;
    Cycle return_free = 0;  ///< L2 clock: when the way back to the slices can take the next burst
    int under_way = 0;
    Cycle next_step = 0;
    std::vector<dram::Completion> completions;
    std::vector<std::pair<Cycle, DramFill>> done;  ///< by step
  };
  using SentBursts = std::vector<std::pair<Cycle, dram::Burst>>;

  void carry(Controller& controller, Cycle step);
  /// The channel of byte `address` of `slice`; `address` becomes the address within that channel.
  std::size_t channel_of(int slice, std::uint64_t& address) const;

  const ClockRatio l2_to_dram_;
  const ClockRatio dram_to_l2_;
  const Cycle send_latency_;
  const Cycle return_latency_;
  const Cycle return_interval_;  ///< between two bursts of a channel
  const Cycle slack_;            ///< between a step and the first cycle that may need its results
  const Divider interleave_;
  const Divider owned_;    ///< channels of a slice: 1 if slices share them
  const Divider sharing_;  ///< slices of a channel, which alternate on it: 1 if slices own channels
  std::vector<std::unique_ptr<Controller>> controllers_;
  std::vector<SentBursts> sent_;  ///< by channel, since the last begin()
  std::int64_t under_way_ = 0;
  Cycle first_step_ = 0;  ///< first step of the period in progress
  Cycle end_step_ = 0;    ///< multiples of kStep
  Cycle due_ = 0;
  std::vector<std::vector<DramFill>> done_;  ///< by step
};

}  // namespace tcsim::memory
