#pragma once

#include <string_view>
#include <vector>

#include "sim/core_rtl/core_source.hpp"

namespace tcsim::core_rtl {

/// rtl/simulation.vlt: what Verilator has to know.
std::string_view rtl_simulation();
/// core_wrapper.cpp.in: the C functions round a Verilated module.
std::string_view core_wrapper();
/// The modules of rtl/ that a core may be made of, the package first.
std::vector<SourceFile> rtl_sources();

}  // namespace tcsim::core_rtl
