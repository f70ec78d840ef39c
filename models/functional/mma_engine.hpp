#pragma once

#include <cstdint>
#include <vector>

#include "models/numerics/execute.hpp"

namespace tcsim::functional {

/// Computes matrix instructions in the place of models/numerics, for example an RTL unit.
class MmaEngine {
 public:
  virtual ~MmaEngine() = default;

  /// As numerics::MmaExecutor::execute, for any instruction of the generation. Refusal
  /// kUnsupported: the engine lacks the instruction.
  virtual numerics::Result<std::vector<std::uint32_t>> execute(
      const numerics::MmaInstruction& instruction, const numerics::MmaOperands& operands) = 0;
};

}  // namespace tcsim::functional
