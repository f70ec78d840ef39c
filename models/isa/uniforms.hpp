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
/// their values. The texts lack the name of the program, and the number of the program is not set.
std::vector<LaunchProblem> uniform_problems(const WarpProgram& program);

/// What is known of the iteration counts of a loop.
struct KnownTrips {
  std::optional<std::int64_t> fewest{};
  std::optional<std::int64_t> most{};
};

/// The iteration counts of loop `index`, which uses uniforms, over all CTAs, warps and iterations
/// of the outermost loop. `fewest` is the smallest; `least` if no CTA enters the outermost loop. If
/// there are too many to examine: `least` where the ranges of the uniforms show that no count is
/// smaller, else empty, unless a count below `least` was found. `most` is the largest of those that
/// were examined. Requires that uniform_problems is empty.
KnownTrips known_trips(const KernelLaunch& launch, const WarpProgram& program, std::size_t index,
                       std::int64_t least);

}  // namespace tcsim::isa
