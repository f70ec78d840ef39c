#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "models/memory/memory_system.hpp"
#include "models/sm/loop_jump.hpp"

namespace tcsim::gpu {

/// The work is to end: what was being made ready is not carried out.
class WarmingStopped : public std::exception {};

/// Takes the L2 through accesses that are not simulated, in their order. What many CTAs read at one
/// time is carried out once, and again when enough has been read since that its line has aged.
class L2Warming {
 public:
  /// `memory` must outlive it. `keep_going` is asked many times a second; when it says no,
  /// whoever tells of an access gets WarmingStopped.
  explicit L2Warming(memory::MemorySystem& memory, std::function<bool()> keep_going)
      : memory_(memory),
        keep_going_(std::move(keep_going)),
        soon_(memory.l2_lines() / kSharesOfL2),
        lately_(std::size_t{1} << kBits) {}

  /// Who is told of reads of SM `sm`; must not outlive this.
  sm::AccessListener reads_of(int sm) {
    return [this, sm,
            partition = memory_.partition_of(sm)](const std::vector<sm::LineSectors>& lines) {
      count_access();
      for (const sm::LineSectors& line : lines)
        if (!was_read(line.line + static_cast<std::uint64_t>(partition), line.sectors))
          memory_.warm(line.line, line.sectors, sm);
    };
  }

  /// Who is told of stores; likewise.
  sm::AccessListener stores() {
    return [this](const std::vector<sm::LineSectors>& lines) {
      count_access();
      for (const sm::LineSectors& line : lines) memory_.warm_written(line.line, line.sectors);
    };
  }

 private:
  static constexpr int kBits = 15;
  /// A line that was read while such a share of the L2 was filled is among the latest used.
  static constexpr std::int64_t kSharesOfL2 = 16;
  static constexpr std::uint64_t kAccessesBetweenQuestions = 4096;  // about a millisecond

  void count_access() {
    if (++accesses_ % kAccessesBetweenQuestions == 0 && !keep_going_()) throw WarmingStopped();
  }

  struct Read {
    std::uint64_t wanted = ~std::uint64_t{0};
    std::int64_t number = 0;
  };

  /// True if `sectors` of `line` have been read lately; from now on they have.
  bool was_read(std::uint64_t line, std::uint8_t sectors) {
    constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
    constexpr int kSectorBits = 8;
    const std::uint64_t wanted = line << kSectorBits | sectors;
    Read& last = lately_[(wanted * kGoldenRatio) >> (64 - kBits)];
    if (last.wanted == wanted && reads_ - last.number < soon_) return true;
    last = {wanted, ++reads_};
    return false;
  }

  memory::MemorySystem& memory_;
  std::function<bool()> keep_going_;
  std::uint64_t accesses_ = 0;
  std::int64_t reads_ = 0;  ///< carried out
  const std::int64_t soon_;
  std::vector<Read> lately_;
};

}  // namespace tcsim::gpu
