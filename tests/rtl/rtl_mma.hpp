#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/functional/mma_engine.hpp"
#include "models/numerics/result.hpp"
#include "sim/rtl/warp_operands.hpp"
#include "sim/rtl/warp_unit.hpp"

namespace tcsim::rtl {

/// Executes matrix instructions on the Verilated unit of a generation: operands and result are
/// those of numerics::MmaExecutor::execute, so it can stand in for one. One instruction after the
/// other; the cycles are those of the unit, from the first operand register to the last of D.
///
///   const auto unit = RtlMma::create(Generation::kAmpere).value();
///   functional::execute(launch, Generation::kAmpere, memory, unit.get());  // every HMMA in RTL
class RtlMma : public functional::MmaEngine {
 public:
  /// Refusal kUnsupported: a generation other than Volta and Ampere.
  static numerics::Result<std::shared_ptr<RtlMma>> create(numerics::Generation generation);

  numerics::Result<std::vector<std::uint32_t>> execute(const numerics::MmaInstruction& instruction,
                                                       const numerics::MmaOperands& operands,
                                                       const functional::MmaSite& site) override;

  std::int64_t instructions() const { return instructions_; }
  std::int64_t busy_cycles() const { return busy_cycles_; }

 private:
  RtlMma(numerics::Generation generation, std::unique_ptr<WarpUnit> unit)
      : generation_(generation), unit_(std::move(unit)) {}

  Registers execute_volta(const WarpMma& mma);
  Registers run(const WarpMma& mma);

  numerics::Generation generation_;
  std::unique_ptr<WarpUnit> unit_;
  std::int64_t instructions_ = 0;
  std::int64_t busy_cycles_ = 0;
};

}  // namespace tcsim::rtl
