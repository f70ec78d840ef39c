#pragma once

#include <string>
#include <vector>

#include "sim/core_rtl/core_plan.hpp"

namespace tcsim::core_rtl {

/// A module that is Verilated and made a library.
enum class CoreTop { kArray, kWarp };

/// A port of a top module, in the order of the wrapper.
struct CorePort {
  std::string name;
  int bits;
  bool input;
};

/// "array" or "warp"
std::string name_of(CoreTop top);

std::vector<CorePort> ports_of(const CorePlan& plan, CoreTop top);

/// Replaces the files of rtl/ by those at `paths` with the same names. Throws UsageError if a core
/// has no such file or two have the same name; IoError, files::ContentError.
void take_modules(CorePlan& plan, const std::vector<std::string>& paths);

/// Everything that Verilator and the compiler read: the modules of rtl/ or the plan's own modules,
/// the top module core_<name>.sv with the parameters of `plan`, core.vlt, core_ports.h and
/// core_wrapper.cpp.
std::vector<SourceFile> sources_of(const CorePlan& plan, CoreTop top);

}  // namespace tcsim::core_rtl
