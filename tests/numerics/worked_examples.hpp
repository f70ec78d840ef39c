#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/numerics/arithmetic.hpp"

namespace tcsim::numerics {

/// One row of the worked examples of the numerics reference, section 15: operands of the first k
/// (the rest is zero) and the result of each generation; nothing if the row has no answer.
struct WorkedExample {
  std::string_view number;
  ElementType input;
  ElementType accumulator;
  std::vector<std::uint64_t> a;
  std::vector<std::uint64_t> b;
  std::uint64_t c;
  std::optional<std::uint64_t> volta;
  std::optional<std::uint64_t> ampere;
  std::optional<std::uint64_t> hopper;
};

const std::vector<WorkedExample>& worked_examples();

}  // namespace tcsim::numerics
