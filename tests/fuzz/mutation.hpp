#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {

/// Input `index` of the run `seed`, always the same: a copy of one of `seeds` with one to four
/// random changes of its bytes (bits, bytes, ranges removed or repeated, numbers made huge, the
/// tail of another input) or of its structure (structure.hpp). Requires at least one seed.
std::string mutated(const Target& target, std::span<const std::string> seeds, std::uint32_t seed,
                    std::uint32_t index);

}  // namespace tcsim::fuzz
