#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/config/machine.hpp"

namespace tcsim::area {

/// What a tensor core multiplies in one floating-point format.
struct FloatUnit {
  std::string_view format;  ///< fp16, bf16, tf32
  int products;             ///< products per pass, for one element of D
  int block;                ///< products that join the sum at once, up to `products`
  int grid_fraction_bits;
  int kept_fraction_bits;  ///< of an FP32 sum
  int exponent_floor;      ///< of FP32 sums

  friend bool operator==(const FloatUnit&, const FloatUnit&) = default;
};

/// A tensor core as rtl/ builds it: rows x columns dot products.
struct CoreDesign {
  int rows = 0;
  int columns = 0;
  std::vector<FloatUnit> floats = {};  ///< not empty
  int int8_products = 0;               ///< products per pass, for one element of D
  bool fp16_sums = false;              ///< in addition to those in FP32
  int fp16_sum_exponent_floor = 0;
  bool subnormals = true;
  bool fp32_nearest = false;  ///< rounds to nearest even, else truncates
  bool fp16_nearest = true;
  std::vector<std::string_view> left_out =
      {};  ///< formats of the machine that rtl/ has no unit for

  [[nodiscard]] int products() const;  ///< maximum over the float formats
  /// Blocks one after another, the last of which a pass may not fill; maximum over the float
  /// formats.
  [[nodiscard]] int blocks() const;
  [[nodiscard]] int grid_fraction_bits() const;  ///< the finest

  friend bool operator==(const CoreDesign&, const CoreDesign&) = default;
};

/// One tensor core of the machine: its shape, the formats of its products, the arithmetic of its
/// sums. If a block of the arithmetic is longer than a pass, it counts as a pass. Nothing for a
/// machine without tensor cores, or without a float format that rtl/ has.
std::optional<CoreDesign> core_design(const config::Machine& machine);

}  // namespace tcsim::area
