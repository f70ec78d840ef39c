#pragma once

#include <string_view>

#include "sim/config/mistakes.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/sweep/spec.hpp"

namespace tcsim::sweep {

/// The field of a request that option `name` of a SPEC sets. Throws InternalError for a name that
/// check_spec refuses.
const run::Field& field_of_option(std::string_view name);

/// True for an axis that is a machine key itself: its name is a path.
bool is_machine_key(const Axis& axis);

/// Whether sweeps may give tcsim run the option --`name`.
bool is_run_option(std::string_view name);

/// Records every unknown name, and every setting that has no effect or contradicts another one.
void check_spec(const Spec& spec, config::Mistakes& mistakes);

}  // namespace tcsim::sweep
