#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::rtl {

/// Latency of one opcode in the unit, from the cycle of issue to that of the last register of D,
/// both included.
struct LoopLatency {
  std::string mnemonic;
  std::int64_t instructions = 0;
  int unit_cycles = 0;     ///< of the unit in RTL, the same for every instruction
  int machine_cycles = 0;  ///< in the machine file, with issue, operand read and write-back
};

/// What a run with the tensor core in RTL found, apart from its cycles.
struct LoopResult {
  std::string unit;               ///< "warp_mma_ampere"
  int units = 0;                  ///< sub-cores that had work
  std::int64_t instructions = 0;  ///< executed by them
  std::int64_t wrong_values = 0;  ///< instructions with a bit of D that differs from
                                  ///< models/numerics
  std::int64_t wrong_cycles = 0;  ///< instructions that took more or fewer cycles than the unit
                                  ///< takes alone
  std::int64_t late = 0;          ///< instructions that waited for passes of others, which the unit
                                  ///< may do
  int latest_cycles = 0;          ///< the longest of these, in cycles
  Cycle model_cycles = 0;         ///< of the run with the intervals of the machine file
  Cycle rtl_cycles = 0;
  bool same_counters = false;  ///< every counter of both runs is equal
  std::vector<LoopLatency> latencies;
  std::string first_difference;  ///< a sentence; empty if there is no difference

  [[nodiscard]] bool agrees() const { return first_difference.empty(); }
};

}  // namespace tcsim::rtl
