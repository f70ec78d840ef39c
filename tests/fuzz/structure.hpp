#pragma once

#include <random>
#include <string>

#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {

/// `text` with parts of its form changed: removed, doubled, exchanged, replaced by values of other
/// types, extreme numbers, long words, bytes that are no UTF-8, or nested deeply. Text that is no
/// document of `form` comes back with tokens changed; kBinary as it is.
std::string restructured(const std::string& text, Form form, std::mt19937& random);

}  // namespace tcsim::fuzz
