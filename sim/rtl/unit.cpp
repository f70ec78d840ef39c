#include "sim/rtl/unit.hpp"

#include <string>

namespace tcsim::rtl {

using numerics::ElementType;

std::string to_string(const Operation& operation) {
  return std::string(numerics::name(operation.input)) + " into " +
         std::string(numerics::name(operation.accumulator));
}

int format_code(ElementType type) {
  switch (type) {
    case ElementType::kBf16:
      return 1;
    case ElementType::kTf32:
      return 2;
    case ElementType::kInt8:
      return 4;
    default:
      return 0;
  }
}

numerics::Arithmetic arithmetic_of(const UnitInfo& unit, const Operation& operation) {
  numerics::ArithmeticKey key;
  key.generation = unit.generation;
  key.a = key.b = operation.input;
  key.accumulator = operation.accumulator;
  return numerics::find_arithmetic(key).value();
}

}  // namespace tcsim::rtl
