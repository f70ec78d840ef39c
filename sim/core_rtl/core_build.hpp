#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "sim/core_rtl/core_plan.hpp"

namespace tcsim::core_rtl {

/// A machine's tensor cores, Verilated and compiled.
struct BuiltCore {
  std::filesystem::path folder;  ///< array.so, warp.so and what they were made from
  bool was_there = false;        ///< in the cache
  double seconds = 0;            ///< that building took; 0: it was there
  std::string verilator;         ///< its version
  std::string compiler;
};

struct BuildEvents {
  std::function<void(const std::string&)> note{};  ///< before what takes long; may be empty
  std::function<int()> pending_signal{};           ///< as of process::PoolEvents
};

/// $TCSIM_CACHE, else $XDG_CACHE_HOME/tcsim, else ~/.cache/tcsim. Throws IoError if none of the
/// variables is set.
std::filesystem::path cache_folder();

/// The libraries of `plan` from the cache, or built into it. What identifies them is everything
/// that goes in: sources, parameters, versions of the tools. They appear in one step, so that two
/// that build at once do not disturb each other and one that ends early leaves nothing behind that
/// is used. Throws IoError: Verilator or a C++ compiler is not there, or the cache cannot be
/// written, or one of these failed, with what it printed; UsageError with that if Verilator failed
/// on modules of the plan's own.
BuiltCore build_core(const CorePlan& plan, const BuildEvents& events);

}  // namespace tcsim::core_rtl
