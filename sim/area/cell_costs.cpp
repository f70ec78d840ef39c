#include "sim/area/cell_costs.hpp"

namespace tcsim::area {

// Made by scripts/core_cells --fit from core_cells.csv.
const CellCosts cell_costs{
    .product = {709.54, 19.43},
    .product_digit = {15.55, 1.19},
    .wide_exponent = {68.18, 1.75},
    .long_significand = {391.45, 4.69},
    .block = {286.62, 99.03},
    .block_digit = {44.93, 4.42},
    .fp16_sum = {373.68, 4.11},
    .shorter_sum = {24.09, 16.98},
    .int8_product = {595.04, 15.36},
    .int8_sum = {72.07, 143.59},
    .operand = {65.75, 19.89},
    .operand_format = {28.08, 0.17},
    .waiting_operand = {4.54, 73.79},
    .core = {0, 29.63},
};

}  // namespace tcsim::area
