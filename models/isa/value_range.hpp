#pragma once

#include <array>
#include <cstdint>

#include "models/isa/expression.hpp"

namespace tcsim::isa {

/// The numbers from `least` to `most`, both included.
struct ValueRange {
  std::int64_t least = 0;
  std::int64_t most = 0;

  bool operator==(const ValueRange&) const = default;
};

/// What each variable may be, indexed by Variable.
using ValueRanges = std::array<ValueRange, kVariableCount>;

/// A range that holds every value of `expression` for variables in `ranges`; it may be wider than
/// its values. Requires that no division is by zero.
ValueRange range_of(const Expression& expression, const ValueRanges& ranges);

}  // namespace tcsim::isa
