#pragma once

#include <random>
#include <string>

#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {

/// A random number less than `bound`, which is at least 1.
inline std::size_t below(std::size_t bound, std::mt19937& random) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

/// `text` with parts of its form changed: removed, doubled, exchanged, or replaced by values of
/// other types, extreme numbers, long words, bytes that are not UTF-8, or deep nesting. Text that
/// is not a document of `form` is returned with tokens changed; kBinary unchanged.
std::string restructured(const std::string& text, Form form, std::mt19937& random);

}  // namespace tcsim::fuzz
