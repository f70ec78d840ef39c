#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/sm/kernel.hpp"
#include "models/sm/residency.hpp"

namespace tcsim::sm {

/// How far a CTA is through the outermost loop that all its warps are in.
struct LoopProgress {
  int slot = 0;             ///< of the CTA
  std::uint64_t start = 0;  ///< grows with the order in which CTAs have started on the SM
  /// Trips that its warps have done, in their mean; parts of one count.
  double trips = 0;
  /// Whole trips that every warp has ahead behind the one under way. 0 where warps are in different
  /// loops or in none, where the loop waits for other CTAs, writes global memory, or runs through
  /// uniforms or a recording: trips of such may not be left out.
  std::int64_t left = 0;
};

/// Of every resident CTA, by slot.
std::vector<LoopProgress> loop_progress(const Residency& residency);

/// What is told of a read: the lines of one warp instruction.
using ReadListener = std::function<void(const std::vector<LineSectors>& lines)>;

/// The CTAs of an SM leave trips of their loops out, all at one time. Nothing else of their state
/// changes: what is under way arrives, and addresses go on behind the gap.
class LoopJump {
 public:
  LoopJump(Residency& residency, const Kernel& kernel) : residency_(residency), kernel_(kernel) {}

  /// The CTA in `slot` leaves `trips` out. Requires trips <= LoopProgress::left.
  void leave_out(int slot, std::int64_t trips);
  /// The most trips that a CTA leaves out.
  [[nodiscard]] std::int64_t most_trips() const { return most_trips_; }
  /// Tells `listener` of what the CTAs would have read in trip `trip` of those left out, from 0 on.
  void read(std::int64_t trip, const ReadListener& listener);
  /// Warp instructions that the CTAs have left out.
  [[nodiscard]] std::int64_t instructions() const { return instructions_; }
  /// Lets the warps go on behind the gap.
  void carry_out();

 private:
  struct Gap {
    Warp* warp;
    std::size_t loop;
    std::int64_t trips;
  };
  void read(const Gap& gap, const ReadListener& listener);

  Residency& residency_;
  const Kernel& kernel_;
  std::vector<Gap> gaps_;  ///< by warp
  std::int64_t most_trips_ = 0;
  std::int64_t instructions_ = 0;
  std::vector<LineSectors> lines_;
};

}  // namespace tcsim::sm
