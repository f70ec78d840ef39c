#include "models/numerics/tensor_arithmetic.hpp"

#include <cassert>

namespace tcsim::numerics {

namespace {

const FormatChanges& changes_of(const TensorArithmetic& core, ElementType input) {
  if (is_fp8(input)) return core.fp8;
  if (input == ElementType::kBf16) return core.bf16;
  return input == ElementType::kTf32 ? core.tf32 : core.fp16;
}

/// Whether FP8 has its own units where the generation emulates it on FP16 units.
bool has_fp8_units(const TensorArithmetic& core, const ArithmeticKey& key) {
  return is_fp8(key.a) && key.kind == InstructionKind::kMma &&
         key.generation == Generation::kHopper && !core.fp8.empty();
}

void change(const TensorArithmetic& core, const FormatChanges& changes, BlockParams& block) {
  assert(changes.products.value_or(1) >= 1 && changes.products.value_or(1) <= kMaxBlockProducts);
  block.products = changes.products.value_or(block.products);
  block.grid_fraction_bits = changes.grid_fraction_bits.value_or(block.grid_fraction_bits);
  ResultRule& result = block.result;
  const bool wide = result.type == ElementType::kFp32;
  if (wide)
    result.kept_fraction_bits =
        changes.accumulator_fraction_bits.value_or(result.kept_fraction_bits);
  result.mode = (wide ? core.fp32_rounding : core.fp16_rounding).value_or(result.mode);
  result.subnormals = core.subnormals;
}

}  // namespace

std::string to_string(const TensorArithmetic& core) {
  std::string changes;
  const auto add = [&changes](const std::string& change) {
    changes += (changes.empty() ? " with " : ", ") + change;
  };
  const auto add_format = [&](const std::string& format, const FormatChanges& of) {
    const auto add_number = [&](const char* what, const std::optional<int>& number) {
      if (number) add(format + what + std::to_string(*number));
    };
    add_number(".products ", of.products);
    add_number(".grid_fraction_bits ", of.grid_fraction_bits);
    add_number(".accumulator_fraction_bits ", of.accumulator_fraction_bits);
  };
  const auto add_rounding = [&](const char* what, const std::optional<RoundingMode>& mode) {
    if (mode)
      add(what + std::string(*mode == RoundingMode::kTruncate ? "truncate" : "nearest_even"));
  };
  add_format("fp16", core.fp16);
  add_format("bf16", core.bf16);
  add_format("tf32", core.tf32);
  add_format("fp8", core.fp8);
  add_rounding("fp32_rounding ", core.fp32_rounding);
  add_rounding("fp16_rounding ", core.fp16_rounding);
  if (core.block_order != BlockOrder::kAscending)
    add(core.block_order == BlockOrder::kDescending ? "block_order descending"
                                                    : "block_order interleaved");
  if (!core.subnormals) add("subnormals flushed");
  return std::string(name(core.base)) + changes;
}

int product_fraction_bits(ElementType input) {
  return 2 * format_of(is_fp8(input) ? ElementType::kE4m3 : input).fraction_bits;
}

Result<Arithmetic> find_arithmetic(const TensorArithmetic& core, ArithmeticKey key,
                                   const UndecidedBehavior& undecided) {
  key.generation = core.base;
  if (has_fp8_units(core, key)) key.kind = InstructionKind::kWgmma;
  const Result<Arithmetic> found = find_arithmetic(key, undecided);
  if (!found.has_value()) return found.refusal();
  Arithmetic arithmetic = found.value();
  arithmetic.order = core.block_order;
  const bool on_fp16_units = arithmetic.scheme == Scheme::kFp8OnFp16Units;
  if (arithmetic.scheme == Scheme::kBlocks || on_fp16_units)
    change(core, on_fp16_units ? core.fp16 : changes_of(core, key.a), arithmetic.block);
  return arithmetic;
}

}  // namespace tcsim::numerics
