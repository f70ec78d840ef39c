#pragma once

#include <string_view>

#include "models/dram/scheduling/policy.hpp"

namespace tcsim::dram {

/// First come, first served: the requests of a bank and direction go in order of their arrival,
/// whatever row is open. Banks work side by side.
class Fcfs : public OldestBankFirst {
 public:
  static constexpr std::string_view kName = "fcfs";

  explicit Fcfs(const DramParams& /*params*/) {}

  Slot next(const RequestLists& waiting, Direction direction, int dram_bank) const {
    return waiting.list(direction, dram_bank).oldest;
  }
};

}  // namespace tcsim::dram
