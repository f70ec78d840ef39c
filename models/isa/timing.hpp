#pragma once

#include <array>

#include "models/isa/opcode.hpp"

namespace tcsim::isa {

/// When an instruction of an opcode allows others to proceed. All in SM cycles.
struct OpTiming {
  int issue_interval =
      0;  ///< start to start in the same pipe of one sub-core; 0: the machine lacks the operation
  int latency =
      0;  ///< issue to issue of a dependent; variable-latency operations: without queueing

  bool supported() const { return issue_interval > 0; }
};

/// One row per opcode of one machine.
using TimingTable = std::array<OpTiming, kMostOpcodes>;

}  // namespace tcsim::isa
