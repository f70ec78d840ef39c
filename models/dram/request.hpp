#pragma once

#include <cstdint>

#include "models/isa/cycle.hpp"

namespace tcsim::dram {

/// Banks are kept as bits of one word.
using BankSet = std::uint64_t;
inline constexpr int kMaxBanks = 64;
inline constexpr BankSet kEveryBank = ~BankSet{0};

inline constexpr BankSet bank_bit(int dram_bank) { return BankSet{1} << dram_bank; }

enum class Direction : std::uint8_t { kRead, kWrite };

inline constexpr Direction other(Direction direction) {
  return direction == Direction::kRead ? Direction::kWrite : Direction::kRead;
}

/// What the row commands issued for a request tell about it.
enum class RowOutcome : std::uint8_t { kHit, kMiss, kConflict };

/// Sources of bursts are numbered from 0; there are fewer than this.
inline constexpr int kMaxSources = 1024;

struct Request {
  std::uint64_t tag;
  std::uint64_t age;   ///< position in the order of arrival; smaller is older
  std::uint64_t rank;  ///< among requests of different banks the smaller goes first; the scheduling
                       ///< policy's, below 2^62
  Cycle arrival;
  std::int64_t row;
  int dram_bank;
  std::uint16_t source;  ///< who asked, < kMaxSources
  Direction direction;
  RowOutcome outcome;
};

}  // namespace tcsim::dram
