#include "sim/area/core_design.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/isa/cycle.hpp"
#include "models/isa/opcode.hpp"
#include "models/numerics/tensor_arithmetic.hpp"
#include "models/sm/tensor_types.hpp"
#include "sim/config/numerics.hpp"

namespace tcsim::area {
namespace {

using numerics::ElementType;

struct FloatFormat {
  std::string_view name;
  ElementType type;
};

constexpr std::array<FloatFormat, 3> kFloatFormats{
    {{"fp16", ElementType::kFp16}, {"bf16", ElementType::kBf16}, {"tf32", ElementType::kTf32}}};

/// Products for one element of D; fewer than one product per sum removes sums, not the multiplier.
int products_of_pass(const sm::TensorParams& tensor, const sm::TensorType& type) {
  const double products = tensor.products.*type.products;
  return products <= 0 ? 0 : std::max(1, static_cast<int>(std::floor(tensor.core.k * products)));
}

std::optional<numerics::BlockParams> block_of(const numerics::TensorArithmetic& arithmetic,
                                              ElementType type, ElementType sum) {
  const auto found =
      numerics::find_arithmetic(arithmetic, {.a = type, .b = type, .accumulator = sum});
  if (!found.has_value()) return {};
  return found.value().block;
}

bool has_fp16_sums(const sm::TensorParams& tensor) {
  return std::ranges::any_of(tensor.instructions, [](const sm::TensorInstructionParams& row) {
    return isa::opcode_info(row.opcode).mma_sum == ElementType::kFp16;
  });
}

template <typename Member>
int largest(const std::vector<FloatUnit>& floats, Member member) {
  int most = 0;
  for (const FloatUnit& unit : floats) most = std::max(most, member(unit));
  return most;
}

}  // namespace

int CoreDesign::products() const {
  return largest(floats, [](const FloatUnit& unit) { return unit.products; });
}

int CoreDesign::blocks() const {
  return largest(floats, [](const FloatUnit& unit) { return ceil_div(unit.products, unit.block); });
}

int CoreDesign::grid_fraction_bits() const {
  return largest(floats, [](const FloatUnit& unit) { return unit.grid_fraction_bits; });
}

std::optional<CoreDesign> core_design(const config::Machine& machine) {
  const sm::TensorParams& tensor = machine.sm.tensor;
  if (tensor.cores_per_sub_core == 0) return {};
  const numerics::TensorArithmetic arithmetic = config::tensor_arithmetic(machine);
  CoreDesign design{
      .rows = tensor.core.m, .columns = tensor.core.n, .subnormals = arithmetic.subnormals};
  for (const sm::TensorType& type : sm::kTensorTypes) {
    const int products = products_of_pass(tensor, type);
    if (products == 0) continue;
    const auto* const format = std::ranges::find(kFloatFormats, type.name, &FloatFormat::name);
    if (type.name == "int8") {
      design.int8_products = products;
    } else if (format == kFloatFormats.end()) {
      design.left_out.push_back(type.name);
    } else if (const auto block = block_of(arithmetic, format->type, ElementType::kFp32)) {
      design.floats.push_back({type.name, products, std::min(block->products, products),
                               block->grid_fraction_bits, block->result.kept_fraction_bits,
                               block->exponent_floor});
      design.fp32_nearest = block->result.mode == numerics::RoundingMode::kNearestEven;
    }
  }
  if (design.floats.empty()) return {};
  const auto fp16 = block_of(arithmetic, ElementType::kFp16, ElementType::kFp16);
  design.fp16_sums = fp16 && has_fp16_sums(tensor);
  if (fp16) {
    design.fp16_sum_exponent_floor = fp16->exponent_floor;
    design.fp16_nearest = fp16->result.mode == numerics::RoundingMode::kNearestEven;
  }
  return design;
}

}  // namespace tcsim::area
