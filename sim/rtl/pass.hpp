#pragma once

#include <cstdint>
#include <vector>

#include "sim/rtl/unit.hpp"

namespace tcsim::rtl {

/// Operands of one pass of a matrix unit, as the patterns that models/numerics takes.
struct Pass {
  Pass(const UnitInfo& unit, const Operation& of)
      : operation(of),
        columns(unit.columns),
        products(unit.products(of)),
        a(static_cast<std::size_t>(unit.rows * products)),
        b(static_cast<std::size_t>(unit.columns * products)),
        c(static_cast<std::size_t>(unit.elements())) {}

  Operation operation;
  int columns;
  int products;
  std::vector<std::uint64_t> a;  ///< [row][k]
  std::vector<std::uint64_t> b;  ///< [column][k]
  std::vector<std::uint64_t> c;  ///< [row][column]

  std::span<const std::uint64_t> row(int element) const { return line(a, element / columns); }
  std::span<const std::uint64_t> column(int element) const { return line(b, element % columns); }

 private:
  std::span<const std::uint64_t> line(const std::vector<std::uint64_t>& lines, int index) const {
    const auto length = static_cast<std::size_t>(products);
    return std::span(lines).subspan(static_cast<std::size_t>(index) * length, length);
  }
};

/// `patterns` of `bits` bits each, packed from the low bits up into 32-bit words.
void pack(const std::vector<std::uint64_t>& patterns, int bits, std::vector<std::uint32_t>& words);

}  // namespace tcsim::rtl
