#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "models/memory/memory_system.hpp"
#include "models/sm/loop_jump.hpp"

namespace tcsim::gpu {

/// Thrown when the work is to stop: the preparation in progress is discarded.
class WarmingStopped : public std::exception {};

/// Updates the L2 with accesses that are not simulated, in their order. Reads of the same data by
/// many CTAs at one time are performed once, and again when enough has been read since for the line
/// to have aged.
class L2Warming {
 public:
  /// `memory` must outlive it. `keep_going` is asked many times a second; when it returns false,
  /// the caller that reports an access receives WarmingStopped.
  explicit L2Warming(memory::MemorySystem& memory, std::function<bool()> keep_going)
      : memory_(memory),
        keep_going_(std::move(keep_going)),
        l2_lines_(memory.l2_lines()),
        lately_(std::size_t{1} << kBits) {}

  /// Listener for reads of SM `sm`; must not outlive this object.
  sm::AccessListener reads_of(int sm) {
    return [this, sm,
            partition = memory_.partition_of(sm)](const std::vector<sm::LineSectors>& lines) {
      count_access();
      for (const sm::LineSectors& line : lines)
        if (!was_read(line.line + static_cast<std::uint64_t>(partition), line.sectors))
          fetched_ += memory_.warm(line.line, line.sectors, sm);
    };
  }

  /// Calls `read_trip`, which reports the reads of one of `trips` iterations, for the first
  /// iteration and for the last ones: as many as refill the L2 if all read as much as the first,
  /// and kCounted more. The L2 would keep nothing of earlier ones. Returns the number of sectors
  /// that DRAM would have had to read in all of them; those that are not performed are taken to be
  /// like the last kCounted.
  double read_trips(std::int64_t trips, const std::function<void(std::int64_t)>& read_trip) {
    if (trips <= 0) return 0;
    const std::int64_t reads = reads_;
    const std::int64_t fetched = fetched_;
    read_trip(0);
    const std::int64_t first = trips - kCounted - to_refill(reads_ - reads);
    std::int64_t before_counted = fetched;
    for (std::int64_t trip = std::max<std::int64_t>(1, first); trip < trips; ++trip) {
      if (trip == trips - kCounted) before_counted = fetched_;
      read_trip(trip);
    }
    if (first <= 1) return static_cast<double>(fetched_ - fetched);
    return static_cast<double>(fetched_ - before_counted) * static_cast<double>(trips) / kCounted;
  }

  /// How often as many accesses as there were until now refill the L2.
  [[nodiscard]] std::int64_t to_refill() const { return to_refill(reads_ + stores_); }

  /// Listener for stores; must not outlive this object.
  sm::AccessListener stores() {
    return [this](const std::vector<sm::LineSectors>& lines) {
      count_access();
      for (const sm::LineSectors& line : lines) memory_.warm_written(line.line, line.sectors);
      stores_ += static_cast<std::int64_t>(lines.size());
    };
  }

 private:
  static constexpr std::int64_t kCounted = 16;
  static constexpr int kBits = 15;
  /// A line that was read while less than this share of the L2 (one part in kSharesOfL2) was filled
  /// is among the most recently used.
  static constexpr std::int64_t kSharesOfL2 = 16;
  /// Sets of the L2 fill unevenly, so more than one filling is needed.
  static constexpr double kFills = 1.25;
  static constexpr std::uint64_t kAccessesBetweenQuestions = 4096;  // about a millisecond

  void count_access() {
    if (++accesses_ % kAccessesBetweenQuestions == 0 && !keep_going_()) throw WarmingStopped();
  }

  [[nodiscard]] std::int64_t to_refill(std::int64_t lines) const {
    const double share =
        static_cast<double>(l2_lines_) / static_cast<double>(std::max<std::int64_t>(1, lines));
    return static_cast<std::int64_t>(kFills * share);
  }

  struct Read {
    std::uint64_t wanted = ~std::uint64_t{0};
    std::int64_t number = 0;
  };

  /// True if `sectors` of `line` have been read recently; marks them as read.
  bool was_read(std::uint64_t line, std::uint8_t sectors) {
    constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
    constexpr int kSectorBits = 8;
    const std::uint64_t wanted = line << kSectorBits | sectors;
    Read& last = lately_[(wanted * kGoldenRatio) >> (64 - kBits)];
    if (last.wanted == wanted && reads_ - last.number < l2_lines_ / kSharesOfL2) return true;
    last = {wanted, ++reads_};
    return false;
  }

  memory::MemorySystem& memory_;
  std::function<bool()> keep_going_;
  std::uint64_t accesses_ = 0;
  std::int64_t reads_ = 0;    ///< performed
  std::int64_t fetched_ = 0;  ///< sectors that DRAM would have had to read
  std::int64_t stores_ = 0;   ///< lines
  const std::int64_t l2_lines_;
  std::vector<Read> lately_;
};

}  // namespace tcsim::gpu
