#pragma once

#include <memory>
#include <string>

#include "models/numerics/execute.hpp"
#include "sim/rtl/warp_unit.hpp"

namespace tcsim::rtl {

/// A kind of tensor core in RTL: what it computes, and a unit for each sub-core that needs one.
class WarpUnits {
 public:
  virtual ~WarpUnits() = default;

  /// Name of its module, for example "warp_mma_ampere".
  virtual std::string name() const = 0;
  /// Why it lacks `instruction`; empty if it has it.
  virtual std::string lack_of(const numerics::MmaInstruction& instruction) const = 0;
  /// The instruction as a unit takes it. Requires that it has it.
  virtual WarpMma mma_of(const numerics::MmaInstruction& instruction,
                         const numerics::MmaOperands& operands) const = 0;
  /// True if an instruction is issued in steps, each with its own registers of C and D.
  virtual bool has_steps() const = 0;
  /// True if an MMA may wait for the passes of earlier ones.
  virtual bool interleaves() const = 0;
  /// True if C enters while the MMA runs; WarpUnit::Result::dependent_from then applies.
  virtual bool streams() const { return false; }
  virtual std::unique_ptr<WarpUnit> make() const = 0;
};

/// The units of V100 and A100, and of H100 for wgmma; null for other generations.
std::shared_ptr<const WarpUnits> warp_units_of(numerics::Generation generation);

}  // namespace tcsim::rtl
