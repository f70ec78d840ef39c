#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/functional/mma_engine.hpp"
#include "models/numerics/tensor_arithmetic.hpp"
#include "sim/rtl/warp_operands.hpp"
#include "sim/rtl/warp_units.hpp"

namespace tcsim::rtl {

/// A matrix instruction as a warp executed it.
struct RecordedMma {
  WarpMma mma;
  Registers d;
};

/// Computes with models/numerics everything that a warp-level unit of rtl/ can also compute, and
/// records inputs and outputs.
class MmaRecord : public functional::MmaEngine {
 public:
  /// 128 B each; an mma.sync has about 14.
  static constexpr std::int64_t kMostRegisters = 14'000'000;

  /// For `units`, with the arithmetic of `core`.
  MmaRecord(std::shared_ptr<const WarpUnits> units, const numerics::TensorArithmetic& core)
      : units_(std::move(units)), core_(core) {}
  /// For the units of V100, A100 or H100.
  explicit MmaRecord(numerics::Generation generation)
      : MmaRecord(warp_units_of(generation), generation) {}

  /// Refusal kUnsupported: the units lack the instruction, or kMostRegisters has been reached.
  numerics::Result<std::vector<std::uint32_t>> execute(const numerics::MmaInstruction& instruction,
                                                       const numerics::MmaOperands& operands,
                                                       const functional::MmaSite& site) override;

  /// The MMAs of the warp of `bindings` in launch `launch`, in order; empty if it had none.
  const std::vector<RecordedMma>& of_warp(std::int64_t launch, const isa::Bindings& bindings) const;

  const WarpUnits& units() const { return *units_; }
  std::int64_t instructions() const { return instructions_; }

 private:
  using Key = std::array<std::int64_t, 5>;  ///< launch, CTA x, y, z, warp
  static Key key(std::int64_t launch, const isa::Bindings& bindings);

  std::shared_ptr<const WarpUnits> units_;
  numerics::TensorArithmetic core_;
  std::int64_t instructions_ = 0;  ///< of warps
  std::int64_t registers_ = 0;
  std::optional<numerics::MmaExecutor> executor_;  ///< of the previous instruction
  std::map<Key, std::vector<RecordedMma>> warps_;
};

}  // namespace tcsim::rtl
