#include "sim/rtl/unit.hpp"

#include <algorithm>
#include <string>

namespace tcsim::rtl {

using numerics::ElementType;

std::string to_string(const Operation& operation) {
  const std::string b =
      operation.mixed() ? " x " + std::string(numerics::name(operation.b)) : std::string();
  return std::string(numerics::name(operation.input)) + b + " into " +
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
    case ElementType::kE4m3:
      return 5;
    case ElementType::kE5m2:
      return 6;
    default:
      return 0;
  }
}

int UnitInfo::index_of(const Operation& operation) const {
  return static_cast<int>(std::ranges::find(operations, operation) - operations.begin());
}

int UnitInfo::products(const Operation& operation) const {
  if (pass_products.empty()) return row_bits / numerics::bits(operation.input);
  return pass_products[static_cast<std::size_t>(index_of(operation))];
}

numerics::Arithmetic arithmetic_of(const UnitInfo& unit, const Operation& operation) {
  if (!unit.arithmetics.empty())
    return unit.arithmetics[static_cast<std::size_t>(unit.index_of(operation))];
  numerics::ArithmeticKey key;
  key.generation = unit.generation;
  key.kind = unit.kind;
  key.a = operation.input;
  key.b = operation.b;
  key.accumulator = operation.accumulator;
  return numerics::find_arithmetic(key).value();
}

int blocks_of(const UnitInfo& unit, const Operation& operation) {
  if (operation.input == ElementType::kInt8) return 1;
  const int block = arithmetic_of(unit, operation).block.products;
  return (unit.products(operation) + block - 1) / block;
}

}  // namespace tcsim::rtl
