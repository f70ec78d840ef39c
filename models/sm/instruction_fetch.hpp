#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/line_request.hpp"
#include "models/sm/code_cache.hpp"
#include "models/sm/params.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::sm {

struct FetchCounters {
  explicit FetchCounters(stats::Group& group);

  stats::Counter l0_misses;
  stats::Counter stream_hits;
  stats::Counter l1_misses;
};

/// Instruction supply of one SM (HUE25, UPCSIM): an L0 per sub-core whose stream buffer fetches the
/// lines after a miss, an L1 that the sub-cores share, and reads from L2. Works on lines, by their
/// number in code memory. A line that is present feeds its warp without bubbles, since a sub-core
/// fetches and issues one instruction per cycle.
class InstructionFetch {
 public:
  InstructionFetch(const SmParams& params, int sm, stats::Group& parent);

  /// True where instructions are always present; then nothing else may be called.
  bool is_perfect() const { return params_.l0_bytes == 0; }

  /// Nothing from line `end` on, where the code of the running kernel ends, is prefetched. The
  /// launch leaves the caches as InstructionFetchParams::at_launch states.
  void begin_kernel(std::uint32_t end);

  /// Puts `line` into the L1, as if it had been read long ago.
  void install(std::uint32_t line);

  /// Invalidates `line`, which has been rewritten: the L1 must read it from L2 again.
  void drop(std::uint32_t line) { l1_.drop(line); }

  /// A warp of `sub_core` asks for `line` at `now`. Returns the cycle from which it can issue from
  /// the line; kNever if that is known only after `receive(line)`. `now` must not decrease between
  /// calls.
  Cycle need(int sub_core, std::uint32_t line, Cycle now);

  /// Reads `line` from the L1, for constants. Returns the cycle at which it is available, on a hit
  /// `latency` after the read starts; kNever if that is known only after `receive(line)`.
  Cycle read(std::uint32_t line, Cycle now, int latency);

  /// `line` arrives from L2 at `now`.
  void receive(std::uint32_t line, Cycle now);

  /// Hands `line`, which `receive` has just brought, to a waiting warp of `sub_core`, even if other
  /// lines have evicted it in the meantime. Otherwise, in caches of a few lines, warps would evict
  /// each other's lines forever.
  void deliver(int sub_core, std::uint32_t line, Cycle now);

  /// Reads from L2 since the owner last took them, in order of their cycle.
  std::vector<memory::LineRequest>& requests() { return requests_; }
  bool has_requests() const { return !requests_.empty(); }

 private:
  /// Lines [first, first + ready.size()) on their way to an L0, ahead of the warps.
  struct StreamBuffer {
    std::uint32_t first = 0;
    std::vector<Cycle> ready;  ///< kNever: waiting for L2
  };
  struct Front {
    CodeCache l0;
    StreamBuffer stream;
  };

  Cycle from_stream_or_l1(Front& front, std::uint32_t line, Cycle now);
  void run_ahead(StreamBuffer& stream, Cycle now);
  /// When a line that arrives from L2 at `now` is in the L0s.
  Cycle arrival(Cycle now) const {
    return now + params_.l1_hit_latency_cycles - params_.l1_hit_latency_cycles / 2;
  }
  Cycle from_l1(std::uint32_t line, Cycle now) {
    return read(line, now, params_.l1_hit_latency_cycles);
  }

  const InstructionFetchParams params_;
  const std::uint16_t sm_;
  const std::uint8_t sectors_;  ///< sectors of a line, bit per sector
  stats::Group group_;
  FetchCounters counters_;
  std::vector<Front> fronts_;  ///< by sub-core
  CodeCache l1_;
  Cycle l1_free_ = 0;
  std::uint32_t code_end_ = 0;
  std::vector<memory::LineRequest> requests_;
};

}  // namespace tcsim::sm
