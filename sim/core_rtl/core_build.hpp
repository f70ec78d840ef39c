#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "sim/core_rtl/core_plan.hpp"

namespace tcsim::core_rtl {

/// The tensor cores of a machine, Verilated and compiled.
struct BuiltCore {
  std::filesystem::path folder;  ///< contains array.so, warp.so and their sources
  bool was_there = false;        ///< it was in the cache
  double seconds = 0;            ///< time to build; 0 if it was in the cache
  std::string verilator;         ///< its version
  std::string compiler;
};

struct BuildEvents {
  std::function<void(const std::string&)> note{};  ///< called before long steps; may be empty
  std::function<int()> pending_signal{};           ///< as in process::PoolEvents
};

/// $TCSIM_CACHE, else $XDG_CACHE_HOME/tcsim, else ~/.cache/tcsim. Throws IoError if none of the
/// variables is set.
std::filesystem::path cache_folder();

/// The libraries of `plan`, from the cache or newly built into it. Everything that goes into them
/// identifies them: sources, parameters, versions and options of the tools. They appear in the
/// cache in one step, so that concurrent builds do not disturb each other and an aborted build
/// leaves nothing that is used. Throws IoError if Verilator or a C++ compiler is missing, if the
/// cache cannot be written, or if one of the tools failed, with its output; UsageError with that
/// output if Verilator failed on modules of the plan's own.
BuiltCore build_core(const CorePlan& plan, const BuildEvents& events);

}  // namespace tcsim::core_rtl
