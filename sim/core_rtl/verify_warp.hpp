#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core_rtl/core_plan.hpp"
#include "sim/rtl/warp_unit.hpp"

namespace tcsim::core_rtl {

/// A D of warp_mma that differs from that of models/numerics.
struct WrongResult {
  std::int64_t mma = 0;  ///< number of MMAs compared before it
  int lane = 0;
  int register_index = 0;
  std::uint32_t rtl = 0;
  std::uint32_t model = 0;
};

/// The results for one instruction on the tensor cores of a sub-core.
struct WarpReport {
  std::string mnemonic;
  std::int64_t mmas = 0;
  std::int64_t vectors = 0;  ///< elements of D
  std::optional<WrongResult> wrong;
  double interval_cycles = 0;  ///< of independent MMAs, issued as soon as the cores accept them
  int latency_cycles = 0;      ///< of a single MMA, issue to issue of one that uses its D as C
  int latest_cycles = 0;       ///< the longest latency among independent MMAs
  int derived_interval_cycles = 0;
  int derived_latency_cycles = 0;

  [[nodiscard]] bool same_cycles() const {
    return interval_cycles == derived_interval_cycles && latency_cycles == derived_latency_cycles;
  }
  [[nodiscard]] bool holds() const { return !wrong && same_cycles(); }
};

/// Sends random registers through `unit` with random stalls, for about `vectors` elements of D, and
/// compares with numerics::MmaExecutor; then compares its cycles with sm::derive_mma. Requires that
/// `unit` is idle.
WarpReport verify_warp(const CorePlan& plan, const CoreInstruction& instruction,
                       rtl::WarpUnit& unit, std::int64_t vectors, std::uint64_t seed);

std::string to_text(const WarpReport& report);

}  // namespace tcsim::core_rtl
