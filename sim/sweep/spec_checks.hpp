#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

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

/// What `text` is at the points, as far as that is known without them: itself, or with each value
/// of the one axis that it names; nothing if several axes, a derived value or conditions decide.
std::vector<std::string> known_texts(const Spec& spec, const std::string& text);

/// Records every unknown name, every value that its option or key cannot have, and every setting
/// that has no effect or contradicts another one. Axes and derived values in `used` have an effect.
void check_spec(const Spec& spec, std::set<std::string> used, config::Mistakes& mistakes);

}  // namespace tcsim::sweep
