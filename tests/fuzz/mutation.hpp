#pragma once

#include <random>
#include <span>
#include <string>

namespace tcsim::fuzz {

/// A copy of one of the inputs with one to four random changes: bits, bytes, ranges removed or
/// repeated, numbers made huge, the tail of another input. Requires at least one input.
std::string mutated(std::span<const std::string> inputs, std::mt19937& random);

}  // namespace tcsim::fuzz
