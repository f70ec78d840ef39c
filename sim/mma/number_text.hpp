#pragma once

#include <cstdint>
#include <string>

#include "models/numerics/element_type.hpp"

namespace tcsim::mma {

/// The value of a pattern in decimal, with enough digits to read it back: "0.5", "-0", "inf",
/// "nan", "-128".
std::string to_decimal(numerics::ElementType type, std::uint64_t pattern);

}  // namespace tcsim::mma
