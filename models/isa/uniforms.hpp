#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::isa {

/// True if `expression` names a uniform.
bool uses_uniforms(const Expression& expression);

/// What is wrong with the uniforms of `program` and with the trip counts that use them, apart from
/// their values. One sentence each, without the name of the program.
std::vector<std::string> uniform_problems(const WarpProgram& program);

/// The fewest trips of loop `index`, whose count uses uniforms, in any CTA, warp and trip of the
/// outermost loop; nothing if these are too many to look at. Requires uniform_problems to be empty.
std::optional<std::int64_t> fewest_trips(const KernelLaunch& launch, const WarpProgram& program,
                                         std::size_t index);

}  // namespace tcsim::isa
