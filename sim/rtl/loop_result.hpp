#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::rtl {

/// Latency of one opcode in the unit, from the cycle of issue to that of the last register of D,
/// both counted.
struct LoopLatency {
  std::string mnemonic;
  std::int64_t instructions = 0;
  int unit_cycles = 0;     ///< of the unit in RTL, the same for every instruction
  int machine_cycles = 0;  ///< of the machine file, with issue, operand read and write-back
};

/// What a run with the tensor core in RTL found beside its cycles.
struct LoopResult {
  std::string unit;               ///< "warp_mma_ampere"
  int units = 0;                  ///< sub-cores that had work
  std::int64_t instructions = 0;  ///< that went through them
  std::int64_t wrong_values = 0;  ///< with a bit of D that is not that of models/numerics
  std::int64_t wrong_cycles = 0;  ///< that took more or less than the unit takes alone
  std::int64_t late = 0;          ///< that waited for passes of others, which the unit may do
  int latest_cycles = 0;          ///< the most of these cycles
  Cycle model_cycles = 0;         ///< of the run with the intervals of the machine file
  Cycle rtl_cycles = 0;
  bool same_counters = false;  ///< every counter of both runs is equal
  std::vector<LoopLatency> latencies;
  std::string first_difference;  ///< a sentence; empty if there is none

  [[nodiscard]] bool agrees() const { return first_difference.empty(); }
};

}  // namespace tcsim::rtl
