#pragma once

#include "models/isa/cycle.hpp"
#include "models/isa/expression.hpp"
#include "models/isa/opcode.hpp"

namespace tcsim::sm {

/// Replaces the tensor pipe's issue intervals and the pass cycles of a sub-core, for its MMAs and
/// its parts of warpgroup products; for example a unit in RTL.
class TensorUnit {
 public:
  virtual ~TensorUnit() = default;

  /// The next kernel of the stream starts.
  virtual void begin_kernel() = 0;
  /// The warp of `bindings` (its CTA and its number in the CTA) issues its next MMA at `now`, or
  /// its part of a warpgroup product starts then. Returns the first cycle, later than
  /// `now`, in which the unit accepts another. Calls are in order of cycles, none before the cycle
  /// returned last.
  virtual Cycle issue(Cycle now, const isa::Bindings& bindings, isa::Opcode opcode) = 0;
};

}  // namespace tcsim::sm
