#pragma once

#include <string>

#include "sim/cli/table.hpp"

namespace tcsim::cli {

/// `library parse NAME`: decodes the name of a kernel. Throws UsageError for one that cannot be
/// read.
std::string show_kernel_name(const std::string& name, Format format);

}  // namespace tcsim::cli
