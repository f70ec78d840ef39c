#pragma once

#include "models/isa/cycle.hpp"
#include "models/isa/expression.hpp"
#include "models/isa/opcode.hpp"

namespace tcsim::sm {

/// Takes the MMAs of a sub-core, and its part of the products of warpgroups, in the place of the
/// tensor pipe's issue intervals and the cycles of passes, for example a unit in RTL.
class TensorUnit {
 public:
  virtual ~TensorUnit() = default;

  /// The next kernel of the stream starts.
  virtual void begin_kernel() = 0;
  /// The warp of `bindings` (its CTA and its number in it) issues its next MMA at `now`, or
  /// its part of a product of its warpgroup has its turn then. Returns
  /// the first cycle, later than `now`, in which the unit takes another. Calls come in order of
  /// cycles, none before the one returned last.
  virtual Cycle issue(Cycle now, const isa::Bindings& bindings, isa::Opcode opcode) = 0;
};

}  // namespace tcsim::sm
