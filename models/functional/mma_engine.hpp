#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/expression.hpp"
#include "models/numerics/execute.hpp"

namespace tcsim::functional {

/// Identifies the execution of a matrix instruction.
struct MmaSite {
  std::int64_t launch = 0;   ///< position in the stream
  isa::Bindings bindings{};  ///< CTA and warp
  int step = 0;              ///< of an HMMA.884
};

/// Computes matrix instructions in place of models/numerics, for example with an RTL unit.
class MmaEngine {
 public:
  virtual ~MmaEngine() = default;

  /// Like numerics::MmaExecutor::execute, for any instruction of the generation. Refusal
  /// kUnsupported: the engine lacks the instruction.
  virtual numerics::Result<std::vector<std::uint32_t>> execute(
      const numerics::MmaInstruction& instruction, const numerics::MmaOperands& operands,
      const MmaSite& site) = 0;
};

}  // namespace tcsim::functional
