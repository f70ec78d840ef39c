#pragma once

#include <cstdint>

#include "models/isa/cycle.hpp"

namespace tcsim::dram {

/// A set of banks, one bit per bank.
using BankSet = std::uint64_t;
inline constexpr int kMaxBanks = 64;
inline constexpr BankSet kEveryBank = ~BankSet{0};

inline constexpr BankSet bank_bit(int dram_bank) { return BankSet{1} << dram_bank; }

enum class Direction : std::uint8_t { kRead, kWrite };

inline constexpr Direction other(Direction direction) {
  return direction == Direction::kRead ? Direction::kWrite : Direction::kRead;
}

/// Derived from the row commands that were issued for a request.
enum class RowOutcome : std::uint8_t { kHit, kMiss, kConflict };

/// Sources of bursts are numbered 0 to kMaxSources - 1.
inline constexpr int kMaxSources = 1024;

struct Request {
  std::uint64_t tag;
  std::uint64_t age;   ///< position in the order of arrival; smaller is older
  std::uint64_t rank;  ///< among requests of different banks the smaller goes first; set by the
                       ///< scheduling policy, below 2^62
  Cycle arrival;
  std::int64_t row;
  int dram_bank;
  std::uint16_t source;  ///< who requested it, < kMaxSources
  Direction direction;
  RowOutcome outcome;
};

}  // namespace tcsim::dram
