#pragma once

#include <cstdint>

#include "models/isa/cycle.hpp"

namespace tcsim::memory {

/// Atomics answer with the old value, reductions like writes. A prefetch reads only into the L2; it
/// is answered like a write, when its sectors have arrived (assumption).
enum class LineAccess : std::uint8_t { kRead, kWrite, kAtomic, kReduction, kPrefetch };

/// True for accesses that read a line and change nothing in it.
constexpr bool only_reads(LineAccess access) {
  return access == LineAccess::kRead || access == LineAccess::kPrefetch;
}

/// True for accesses whose answer brings data to the SM.
constexpr bool returns_data(LineAccess access) {
  return access == LineAccess::kRead || access == LineAccess::kAtomic;
}

/// The unit of a slice that executes an atomic.
enum class AtomicClass : std::uint8_t { kInteger32, kInteger64, kFloat };

/// The lanes of an atomic or reduction that access one line.
struct AtomicLanes {
  std::uint8_t lanes = 0;   ///< 1 to 32
  std::uint8_t passes = 0;  ///< per sector, the most lanes of one word; summed over the sectors
  AtomicClass type = AtomicClass::kInteger32;

  int bytes() const { return lanes * (type == AtomicClass::kInteger64 ? 8 : 4); }
};

/// The word of a flag buffer that a read or reduction accesses (isa::Buffer::flags).
struct FlagAccess {
  bool is_flag = false;
  std::uint8_t word = 0;  ///< index in the line, 32-bit words
  std::int16_t added = 0;
};

/// A request of one SM to the memory side: sectors of one line.
struct LineRequest {
  Cycle cycle = 0;            ///< SM clock at which it leaves the SM
  std::uint64_t address = 0;  ///< address of the line
  std::uint32_t tag = 0;      ///< returned in the response; writes: at most 30 bits
  std::uint16_t sm = 0;
  std::uint8_t sectors = 0;  ///< bit i: sector i of the line
  LineAccess access = LineAccess::kRead;
  std::uint8_t partial = 0;  ///< writes: sectors of which only some bytes are written
  AtomicLanes atomic{};
  FlagAccess flag{};
  bool of_tile = false;          ///< from TMA: the request coalescer may join it with others
  bool prefetches_line = false;  ///< reads: an L2 miss also fetches the rest of the line
  /// Used by the memory side: place in its coalescer, so that other reads can join this one.
  std::uint16_t entry = kNoEntry;
  /// For reads of boxes for several CTAs: bit r is set if the CTA of rank r of `cluster` receives
  /// the data (TMA multicast), each with `tag` and a ClusterFlag. The requester is answered in any
  /// case.
  std::uint16_t ranks = 0;
  std::uint16_t cluster = 0;  ///< number in the ClusterTable

  static constexpr std::uint16_t kNoEntry = 0xffff;
};

/// Bits of a physical address, so that line numbers fit 32 bits; higher bits are ignored.
inline constexpr int kPhysicalBits = 39;
inline constexpr std::uint64_t physical(std::uint64_t address) {
  return address & ((std::uint64_t{1} << kPhysicalBits) - 1);
}

/// Location of code: the last 4 GiB of the physical addresses, above all buffers. The upper half
/// holds the constants of the launches.
inline constexpr std::uint64_t kCodeMemory =
    (std::uint64_t{1} << kPhysicalBits) - (std::uint64_t{1} << 32);
inline constexpr std::uint64_t kConstantMemory = kCodeMemory + (std::uint64_t{1} << 31);

/// Set in the tag of the answer to a write, reduction or prefetch: its slice has accepted it.
inline constexpr std::uint32_t kWriteDone = std::uint32_t{3} << 30;

/// LineResponse::flag of an answer to a read for several CTAs.
struct ClusterFlag {
  std::uint16_t cluster = 0;
  std::uint8_t rank = 0;  ///< rank of the receiving CTA
  bool lands = false;     ///< the data are for this CTA
  bool asked = false;     ///< this CTA made the request

  ClusterFlag(std::uint16_t number, int of_rank, bool is_for_it, bool has_asked)
      : cluster(number),
        rank(static_cast<std::uint8_t>(of_rank)),
        lands(is_for_it),
        asked(has_asked) {}
  explicit ClusterFlag(std::uint32_t flag)
      : cluster(static_cast<std::uint16_t>(flag >> 16U)),
        rank(static_cast<std::uint8_t>(flag >> 8U)),
        lands((flag & 2U) != 0),
        asked((flag & 1U) != 0) {}
  [[nodiscard]] std::uint32_t value() const {
    return std::uint32_t{cluster} << 16U | std::uint32_t{rank} << 8U | (lands ? 2U : 0U) |
           (asked ? 1U : 0U);
  }
};

/// Data of one read or atomic, or the answer to one write, on arrival at the SM.
struct LineResponse {
  Cycle cycle = 0;         ///< SM clock at which the last byte has arrived
  std::uint32_t tag = 0;   ///< of the read; for writes, kWriteDone and the tag of the write
  std::uint32_t flag = 0;  ///< read or atomic of a flag: its value when the slice processed it
};

}  // namespace tcsim::memory
