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
/// its values, and ends where 64 bits end. Requires that no division is by zero.
ValueRange range_of(const Expression& expression, const ValueRanges& ranges);

/// False if `expression` is not `value` for any values of its variables from 0 to 2^30; it may be
/// true without that too. Requires that no division is by zero.
bool may_be(const Expression& expression, std::int64_t value);

}  // namespace tcsim::isa
