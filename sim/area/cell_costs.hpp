#pragma once

namespace tcsim::area {

/// Two-input gates, multiplexers and inverters; flip-flops.
struct Cells {
  double gates = 0;
  double flip_flops = 0;

  /// In gates. assumption: a flip-flop takes the area of four gates (24 transistors, six per gate).
  [[nodiscard]] double gate_equivalents() const { return gates + 4 * flip_flops; }
};

/// What the parts of a tensor core cost when yosys synthesises them from rtl/.
struct CellCosts {
  Cells product;           ///< a product of a dot product, without what the grid adds
  Cells product_digit;     ///< each fraction bit of the grid, per product: aligned and added
  Cells wide_exponent;     ///< a product with the exponents of BF16 or TF32
  Cells long_significand;  ///< a product with the 11 digits of FP16 or TF32
  /// A sum of a block: reads the accumulator, finds the largest exponent, rounds.
  Cells block;
  Cells block_digit;      ///< each fraction bit of the grid, per such sum
  Cells fp16_sum;         ///< such a sum that may also be FP16
  Cells shorter_sum;      ///< such a sum that keeps fewer than 23 fraction bits
  Cells int8_product;     ///< a product of INT8
  Cells int8_sum;         ///< a sum of INT8
  Cells operand;          ///< an element of a row of A or a column of B: register and decoder
  Cells operand_format;   ///< each further format that the element may have
  Cells waiting_operand;  ///< an element, for each block before its own
  Cells core;             ///< the core: valid, tag, format
};

extern const CellCosts cell_costs;

}  // namespace tcsim::area
