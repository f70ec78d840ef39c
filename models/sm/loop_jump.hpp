#pragma once

#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "models/sm/kernel.hpp"
#include "models/sm/residency.hpp"

namespace tcsim::sm {

/// One run of a CTA through a loop; later ones are greater.
struct LoopRun {
  std::uint64_t start = 0;  ///< grows with the order in which CTAs have started on the SM
  std::int64_t outer = 0;   ///< trips of the loops around it, of all warps

  bool operator==(const LoopRun&) const = default;
  bool operator<(const LoopRun& other) const {
    return std::tie(start, outer) < std::tie(other.start, other.outer);
  }
};

/// How far a CTA is through the outermost loop that all its warps may leave trips out of; roles of
/// warps (a producer, consumers) have loops of their own, as deep as each other.
struct LoopProgress {
  int slot = 0;  ///< of the CTA
  LoopRun run{};
  int warps = 0;  ///< in it; others have come to their end or sleep outside
  /// Trips that its warps have done, in their mean; parts of one count.
  double trips = 0;
  /// Whole trips that every warp has ahead behind the one under way. 0 where warps are in loops of
  /// different depths or in none, where the loop waits for all CTAs, writes global memory, sets
  /// uniforms or runs through a recording: trips of such may not be left out.
  std::int64_t left = 0;
  /// Only multiples of it may be left out, and by all CTAs equally many if it is not 1: they may
  /// wait for each other.
  std::int64_t period = 1;
};

/// True if every warp is in a loop of which it may leave trips out and has such ahead, or at its
/// end, or asleep outside, and no CTA is about to start.
bool are_in_loops(const Residency& residency);

/// Of every resident CTA, by slot.
std::vector<LoopProgress> loop_progress(const Residency& residency);

/// What a sub-core issues.
struct IssuedWork {
  std::int64_t instructions = 0;
  std::int64_t mmas = 0;
  std::int64_t macs = 0;  ///< of the MMAs

  void add(isa::Opcode opcode, std::int64_t times);
};

/// True if instruction `pc` is in `loop`.
inline bool holds(const DecodedLoop& loop, int pc) { return loop.first <= pc && pc <= loop.last; }

/// What is told of an access: the lines of one warp instruction; none if no lane takes part. It may
/// throw.
using AccessListener = std::function<void(const std::vector<LineSectors>& lines)>;

/// Tells `listener` of what instruction `pc` of `warp` accesses as its loop counters stand.
void tell_access(const Kernel& kernel, const Warp& warp, int pc, const AccessListener& listener);

/// Tells `listener` of what `warp` reads in a trip of its loop `loop` from instruction `next` on:
/// the rest of trip `trip` and what comes before `next` in the trip behind it. Leaves the warp as
/// it was, whatever `listener` throws.
void read_trip(const Kernel& kernel, Warp& warp, std::size_t loop, std::int64_t trip, int next,
               const AccessListener& listener);

/// Lets `visit` see every run of instruction `pc` in loops `loops` of `warp`, the outer ones first,
/// by the counters of the warp. Leaves these as they were, whatever `visit` throws.
void for_each_run(Warp& warp, const std::vector<std::size_t>& loops,
                  const std::function<void()>& visit);

/// The CTAs of an SM leave trips of their loops out, all at one time. Nothing else of their state
/// changes: what is under way arrives, and addresses go on behind the gap.
class LoopJump {
 public:
  LoopJump(Residency& residency, const Kernel& kernel, int sub_cores)
      : residency_(residency), kernel_(kernel), issued_(static_cast<std::size_t>(sub_cores)) {}

  /// The CTA in `slot` leaves `trips` out. Requires trips <= LoopProgress::left, and a multiple of
  /// LoopProgress::period.
  void leave_out(int slot, std::int64_t trips);
  /// The most trips that a CTA leaves out.
  [[nodiscard]] std::int64_t most_trips() const { return most_trips_; }
  /// Tells `listener` of what the CTAs would have read in trip `trip` of those left out, from 0 on.
  void read(std::int64_t trip, const AccessListener& listener);
  /// What the CTAs would have issued, by sub-core.
  [[nodiscard]] const std::vector<IssuedWork>& issued() const { return issued_; }
  /// Lets the warps go on behind the gap.
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
