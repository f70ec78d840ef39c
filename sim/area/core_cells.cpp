#include "sim/area/core_cells.hpp"

#include <algorithm>
#include <string_view>

namespace tcsim::area {
namespace {

bool has(const CoreDesign& design, std::string_view format) {
  return std::ranges::find(design.floats, format, &FloatUnit::format) != design.floats.end();
}

bool keeps_less(const CoreDesign& design) {
  return std::ranges::any_of(design.floats,
                             [](const FloatUnit& unit) { return unit.kept_fraction_bits < 23; });
}

class Sum {
 public:
  void add(double count, const Cells& cost) {
    total_.gates += count * cost.gates;
    total_.flip_flops += count * cost.flip_flops;
  }
  [[nodiscard]] Cells total() const { return total_; }

 private:
  Cells total_;
};

}  // namespace

Cells core_cells(const CoreDesign& design) {
  const CellCosts& costs = cell_costs;
  const double digits = design.grid_fraction_bits();
  const double elements = design.rows * design.columns;
  const double products = elements * design.products();
  const double blocks = elements * design.blocks();
  const double operands = (design.rows + design.columns) * design.products();
  const bool tf32 = has(design, "tf32");
  Sum sum;
  sum.add(products, costs.product);
  sum.add(products * digits, costs.product_digit);
  if (tf32 || has(design, "bf16")) sum.add(products, costs.wide_exponent);
  if (tf32 || has(design, "fp16")) sum.add(products, costs.long_significand);
  sum.add(blocks, costs.block);
  sum.add(blocks * digits, costs.block_digit);
  if (design.fp16_sums) sum.add(blocks, costs.fp16_sum);
  if (keeps_less(design)) sum.add(blocks, costs.shorter_sum);
  sum.add(elements * design.int8_products, costs.int8_product);
  if (design.int8_products > 0) sum.add(elements, costs.int8_sum);
  sum.add(operands, costs.operand);
  sum.add(operands * (static_cast<double>(design.floats.size()) - 1), costs.operand_format);
  sum.add(operands * (design.blocks() - 1) / 2, costs.waiting_operand);
  sum.add(1, costs.core);
  return sum.total();
}

}  // namespace tcsim::area
