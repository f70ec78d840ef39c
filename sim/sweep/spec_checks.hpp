#pragma once

#include "sim/config/mistakes.hpp"
#include "sim/sweep/spec.hpp"

namespace tcsim::sweep {

/// True for an axis that is a machine key itself: its name is a path.
bool is_machine_key(const Axis& axis);

/// Records every name that means nothing and every setting that changes nothing or contradicts
/// another one.
void check_spec(const Spec& spec, config::Mistakes& mistakes);

}  // namespace tcsim::sweep
