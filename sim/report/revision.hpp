#pragma once

#include <string_view>

namespace tcsim::report {

/// The source revision of this binary as git describes it at build time ("-dirty" with local
/// changes), or "unknown" outside a git checkout.
std::string_view revision();

}  // namespace tcsim::report
