#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "models/functional/mma_engine.hpp"
#include "models/numerics/generation.hpp"
#include "sim/rtl/warp_operands.hpp"

namespace tcsim::rtl {

/// A matrix instruction as a warp executed it.
struct RecordedMma {
  WarpMma mma;
  Registers d;
};

/// Computes with models/numerics what a warp-level unit of rtl/ can compute, too, and keeps what
/// went in and came out.
class MmaRecord : public functional::MmaEngine {
 public:
  /// About 2 KB each.
  static constexpr std::int64_t kMostInstructions = 1'000'000;

  explicit MmaRecord(numerics::Generation generation) : generation_(generation) {}

  /// Refusal kUnsupported: rtl/ lacks the instruction, or there were kMostInstructions.
  numerics::Result<std::vector<std::uint32_t>> execute(const numerics::MmaInstruction& instruction,
                                                       const numerics::MmaOperands& operands,
                                                       const functional::MmaSite& site) override;

  /// Those of the warp of `bindings` in launch `launch`, in its order; empty if it had none.
  const std::vector<RecordedMma>& of_warp(std::int64_t launch, const isa::Bindings& bindings) const;

  numerics::Generation generation() const { return generation_; }
  std::int64_t instructions() const { return instructions_; }

 private:
  using Key = std::array<std::int64_t, 5>;  ///< launch, CTA x, y, z, warp
  static Key key(std::int64_t launch, const isa::Bindings& bindings);

  numerics::Generation generation_;
  std::int64_t instructions_ = 0;
  std::optional<numerics::MmaExecutor> executor_;  ///< of the instruction before
  std::map<Key, std::vector<RecordedMma>> warps_;
};

}  // namespace tcsim::rtl
