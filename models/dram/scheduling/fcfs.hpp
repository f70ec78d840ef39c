#pragma once

#include <string_view>

#include "models/dram/scheduling/policy.hpp"

namespace tcsim::dram {

/// First come, first served: the requests of a bank and direction are served in order of arrival,
/// whichever row is open. Banks work in parallel.
class Fcfs : public OldestBankFirst {
 public:
  static constexpr std::string_view kName = "fcfs";

  explicit Fcfs(const DramParams& /*params*/) {}

  Slot next(const RequestLists& waiting, Direction direction, int dram_bank) const {
    return waiting.list(direction, dram_bank).oldest;
  }
};

}  // namespace tcsim::dram
