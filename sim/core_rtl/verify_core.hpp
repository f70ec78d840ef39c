#pragma once

#include <string>
#include <vector>

#include "sim/core_rtl/core_build.hpp"
#include "sim/core_rtl/verify_warp.hpp"
#include "sim/rtl/verify_rtl.hpp"

namespace tcsim::core_rtl {

/// The RTL of a machine compared with its numerics and its derived cycles.
struct CoreReport {
  std::string machine;
  std::string core;                     ///< "4 x 8x4x8, dot_product"
  std::vector<rtl::UnitReport> arrays;  ///< one per operation, compared stage by stage
  std::vector<WarpReport> warps;        ///< one per MMA

  [[nodiscard]] bool holds() const;
  /// Situations that the arrays never reached.
  [[nodiscard]] int missed() const;
};

/// Sends random and directed operands through the array and random registers through the tensor
/// cores: options.vectors elements of D for each operation and for each MMA.
CoreReport verify_core(const CorePlan& plan, const BuiltCore& built,
                       const rtl::VerifyOptions& options);

std::string to_text(const CoreReport& report);
std::string to_json(const CoreReport& report);

}  // namespace tcsim::core_rtl
