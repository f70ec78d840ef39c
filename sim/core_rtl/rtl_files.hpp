#pragma once

#include <string_view>
#include <vector>

#include "sim/core_rtl/core_source.hpp"

namespace tcsim::core_rtl {

/// rtl/simulation.vlt: settings for Verilator.
std::string_view rtl_simulation();
/// core_wrapper.cpp.in: the C functions around a Verilated module.
std::string_view core_wrapper();
/// The modules of rtl/ of which a core may consist, the package first.
std::vector<SourceFile> rtl_sources();

}  // namespace tcsim::core_rtl
