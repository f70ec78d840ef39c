#pragma once

#include <string_view>

#include "models/dram/scheduling/policy.hpp"

namespace tcsim::dram {

/// First ready, first come, first served (Rixner et al., ISCA 2000): the oldest request to the open
/// row of a bank, or the oldest of all if there is none. At most DramParams::row_hit_cap younger
/// hits overtake the oldest request of their bank and direction, so that its wait is bounded
/// (FR-FCFS with a cap: Mutlu and Moscibroda, MICRO 2007).
class FrFcfs : public OldestBankFirst {
 public:
  static constexpr std::string_view kName = "fr_fcfs";

  explicit FrFcfs(const DramParams& params) : cap_(params.row_hit_cap) {}

  Slot next(const RequestLists& waiting, Direction direction, int dram_bank) const {
    const RequestList& list = waiting.list(direction, dram_bank);
    return list.hit != kNoSlot && list.bypassed < cap_ ? list.hit : list.oldest;
  }

 private:
  int cap_;
};

}  // namespace tcsim::dram
