#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::isa {

/// True if `expression` names a uniform.
bool uses_uniforms(const Expression& expression);

/// Problems of the uniforms of `program` and of the iteration counts that use them, apart from
/// their values. One sentence each, without the name of the program.
std::vector<std::string> uniform_problems(const WarpProgram& program);

/// The smallest iteration count of loop `index`, which uses uniforms, over all CTAs, warps and
/// iterations of the outermost loop; `least` if no CTA enters the outermost loop. If there are too
/// many to examine: `least` where the ranges of the uniforms show that no count is smaller, else
/// empty, unless a count below `least` was found. Requires that uniform_problems is empty.
std::optional<std::int64_t> fewest_trips(const KernelLaunch& launch, const WarpProgram& program,
                                         std::size_t index, std::int64_t least);

}  // namespace tcsim::isa
