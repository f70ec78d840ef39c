#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "models/sm/kernel.hpp"
#include "models/sm/residency.hpp"

namespace tcsim::sm {

/// One run of a CTA through a loop; later runs compare greater.
struct LoopRun {
  std::uint64_t start = 0;  ///< grows in the order in which CTAs started on the SM
  std::int64_t outer = 0;   ///< iterations of the enclosing loops, over all warps

  bool operator==(const LoopRun&) const = default;
  bool operator<(const LoopRun& other) const {
    return std::tie(start, outer) < std::tie(other.start, other.outer);
  }
};

/// How far a CTA has advanced through the outermost loop whose iterations all its warps may skip.
/// Warps with different roles (a producer, consumers) have their own loops at the same depth.
struct LoopProgress {
  int slot = 0;  ///< slot of the CTA
  LoopRun run{};
  int warps = 0;  ///< warps in the loop; the others have ended or sleep outside
  /// Mean number of iterations that its warps have completed, including fractions.
  double trips = 0;
  /// Whole iterations that every warp still has after the current one. 0 if warps are in loops of
  /// different depths or in none, or if the loop waits for all CTAs, writes global memory, sets
  /// uniforms or runs through a recording: their iterations may not be skipped.
  std::int64_t left = 0;
  /// Only multiples of this may be skipped. If it is not 1, all CTAs must skip equally many: they
  /// may wait for each other.
  std::int64_t period = 1;
};

/// True if no CTA is about to start and every warp has ended, sleeps outside such loops, or is in a
/// loop with remaining iterations that it may skip.
bool are_in_loops(const Residency& residency);

/// The progress of every resident CTA, by slot.
std::vector<LoopProgress> loop_progress(const Residency& residency);

/// Work issued by a sub-core.
struct IssuedWork {
  std::int64_t instructions = 0;
  std::int64_t mmas = 0;
  std::int64_t macs = 0;  ///< multiply-adds of the MMAs

  void add(isa::Opcode opcode, std::int64_t times);
};

/// How often `warp` runs an instruction that `loops` hold: the product of their iteration counts.
std::int64_t runs_of(const Warp& warp, const std::vector<std::size_t>& loops);

/// Receives the lines that one warp instruction accesses; empty if no lane takes part. It may
/// throw.
using AccessListener = std::function<void(const std::vector<LineSectors>& lines)>;

/// Passes to `listener` what instruction `pc` of `warp` accesses with the current loop counters.
/// `room` saves allocating memory at every call.
void tell_access(const Kernel& kernel, const Warp& warp, int pc, std::vector<LineSectors>& room,
                 const AccessListener& listener);

/// Passes to `listener` what `warp` reads in one iteration of its loop `loop` starting at
/// instruction `next`: the rest of iteration `trip`, and the part of the following iteration before
/// `next`. Leaves the warp unchanged, even if `listener` throws.
void read_trip(const Kernel& kernel, Warp& warp, std::size_t loop, std::int64_t trip, int next,
               const AccessListener& listener);

/// Calls `visit` for every combination of the counters of `loops` of `warp` (outer loops first),
/// with the warp's loop counters set accordingly. Restores the counters, even if `visit` throws.
void for_each_run(Warp& warp, const std::vector<std::size_t>& loops,
                  const std::function<void()>& visit);

/// The CTAs of an SM skip iterations of their loops, all at the same time. The rest of their state
/// does not change: what is in flight arrives, and addresses continue after the gap.
class LoopJump {
 public:
  LoopJump(Residency& residency, const Kernel& kernel, int sub_cores)
      : residency_(residency), kernel_(kernel), issued_(static_cast<std::size_t>(sub_cores)) {}

  /// The CTA in `slot` skips `trips` iterations. Requires trips <= LoopProgress::left, and a
  /// multiple of LoopProgress::period.
  void leave_out(int slot, std::int64_t trips);
  /// The largest number of iterations that any CTA skips.
  [[nodiscard]] std::int64_t most_trips() const { return most_trips_; }
  /// Passes to `listener` what the CTAs would have read in step `step`, counted from 0, of `steps`
  /// equal ones that the skipped time consists of: one iteration or, in some steps, none of those
  /// that skip fewer. Requires steps >= most_trips().
  void read(std::int64_t step, std::int64_t steps, const AccessListener& listener);
  /// What the CTAs would have issued, by sub-core.
  [[nodiscard]] const std::vector<IssuedWork>& issued() const { return issued_; }
  /// The warps continue after the gap.
  void carry_out();

 private:
  struct Gap {
    Warp* warp;
    std::size_t loop;
    std::int64_t trips;
  };
  Residency& residency_;
  const Kernel& kernel_;
  std::vector<Gap> gaps_;  ///< by warp
  std::int64_t most_trips_ = 0;
  std::vector<IssuedWork> issued_;
};

}  // namespace tcsim::sm
