#include "models/numerics/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>

namespace tcsim::numerics {

namespace {

using enum ElementType;
using enum Generation;

enum class InputGroup : std::uint8_t { kHalf, kBfloat, kTf32, kFp8 };

/// One row of the parameter table, numerics reference section 3, where the evidence for each number
/// is listed (MMA-Sim, KM, FHMP, FPRev; replayed measurements for V100, A100, Ada, H100, H200).
struct BlockRow {
  Generation first;
  Generation last;
  bool wgmma;  ///< Row for wgmma; otherwise for mma.sync and wmma, which share their arithmetic.
  InputGroup input;
  ElementType accumulator;
  int products;
  int grid_fraction_bits;
  int exponent_floor;
};

constexpr std::array<BlockRow, 18> kBlockRows = {{
    {kVolta, kVolta, false, InputGroup::kHalf, kFp32, 4, 23, -131},
    {kVolta, kVolta, false, InputGroup::kHalf, kFp16, 4, 23, -20},
    {kTuring, kAda, false, InputGroup::kHalf, kFp32, 8, 24, -132},
    {kTuring, kAda, false, InputGroup::kHalf, kFp16, 8, 24, -21},
    {kAmpere, kAda, false, InputGroup::kBfloat, kFp32, 8, 24, -132},
    {kAmpere, kAda, false, InputGroup::kTf32, kFp32, 4, 24, -132},
    {kAda, kAda, false, InputGroup::kFp8, kFp32, 16, 13, -132},
    {kAda, kAda, false, InputGroup::kFp8, kFp16, 16, 13, -21},
    {kHopper, kHopper, false, InputGroup::kHalf, kFp32, 16, 25, -133},
    {kHopper, kHopper, false, InputGroup::kHalf, kFp16, 16, 25, -21},
    {kHopper, kHopper, false, InputGroup::kBfloat, kFp32, 16, 25, -133},
    {kHopper, kHopper, false, InputGroup::kTf32, kFp32, 8, 25, -133},
    {kHopper, kHopper, true, InputGroup::kHalf, kFp32, 16, 25, -133},
    {kHopper, kHopper, true, InputGroup::kHalf, kFp16, 16, 25, -21},
    {kHopper, kHopper, true, InputGroup::kBfloat, kFp32, 16, 25, -133},
    {kHopper, kHopper, true, InputGroup::kTf32, kFp32, 8, 25, -133},
    {kHopper, kHopper, true, InputGroup::kFp8, kFp32, 32, 13, -133},
    {kHopper, kHopper, true, InputGroup::kFp8, kFp16, 32, 13, -21},
}};

constexpr int kM8n8k4Products = 4;        // products of its one block, section 7
constexpr int kFp8KeptFractionBits = 13;  // E8M13 results, section 10

InputGroup input_group(ElementType type) {
  if (is_fp8(type)) return InputGroup::kFp8;
  if (type == kBf16) return InputGroup::kBfloat;
  return type == kTf32 ? InputGroup::kTf32 : InputGroup::kHalf;
}

std::optional<BlockRow> find_row(Generation generation, bool wgmma, InputGroup input,
                                 ElementType accumulator) {
  const auto matches = [&](const BlockRow& row) {
    return row.first <= generation && generation <= row.last && row.wgmma == wgmma &&
           row.input == input && row.accumulator == accumulator;
  };
  const auto row = std::find_if(kBlockRows.begin(), kBlockRows.end(), matches);
  if (row == kBlockRows.end()) return std::nullopt;
  return *row;
}

BlockParams params_of(const BlockRow& row, const ArithmeticKey& key,
                      const UndecidedBehavior& undecided) {
  BlockParams params;
  params.a_type = key.a;
  params.b_type = key.b;
  params.products = row.products;
  params.grid_fraction_bits = row.grid_fraction_bits;
  params.exponent_floor =
      row.exponent_floor +
      (key.accumulator == kFp32 ? undecided.fp32_floor_offset : undecided.fp16_floor_offset);
  params.zero_product_raises_maximum = undecided.zero_product_raises_maximum;
  params.underflow_keeps_sign = undecided.underflow_keeps_sign;
  params.result.type = row.accumulator;
  if (row.accumulator == kFp16)
    params.result = {kFp16, format_of(kFp16).fraction_bits, RoundingMode::kNearestEven};
  else if (row.input == InputGroup::kFp8)
    params.result.kept_fraction_bits = kFp8KeptFractionBits;
  return params;
}

std::string combination(const ArithmeticKey& key) {
  std::string words(name(key.a));
  if (key.a == kB1) words += key.bit_operation == BitOperation::kXor ? " (xor)" : " (and)";
  if (key.b != key.a) words += " x " + std::string(name(key.b));
  return words + " with " + std::string(name(key.accumulator)) + " accumulation";
}

Refusal lacks(const ArithmeticKey& key, const std::string& hint) {
  return unsupported(std::string(name(key.generation)) + " " + std::string(name(key.kind)) +
                     " has no " + combination(key) + hint);
}

/// Types that no generation multiplies with each other or into that accumulator.
std::optional<Refusal> check_types(const ArithmeticKey& key) {
  const auto accumulator_is_one_of = [&](std::initializer_list<ElementType> allowed) {
    return std::find(allowed.begin(), allowed.end(), key.accumulator) != allowed.end();
  };
  const bool same_family = key.a == key.b || (is_fp8(key.a) && is_fp8(key.b)) ||
                           (is_integer(key.a) && is_integer(key.b) && bits(key.a) == bits(key.b));
  bool fits = same_family;
  if (key.a == kFp16 || is_fp8(key.a))
    fits = fits && accumulator_is_one_of({kFp16, kFp32});
  else if (key.a == kBf16 || key.a == kTf32)
    fits = fits && accumulator_is_one_of({kFp32});
  else if (key.a == kFp64)
    fits = fits && accumulator_is_one_of({kFp64});
  else
    fits = fits && accumulator_is_one_of({kInt32}) && key.a != kInt32;
  if (key.a == kFp32) fits = false;
  if (fits) return std::nullopt;
  return mistake("no tensor core multiplies " + combination(key));
}

/// First generation with the type; section 8 and 12 (PTX manual).
Generation first_generation(const ArithmeticKey& key) {
  if (key.kind == InstructionKind::kWgmma) return kHopper;
  if (is_fp8(key.a)) return kAda;
  if (key.a == kBf16 || key.a == kTf32 || key.a == kFp64) return kAmpere;
  if (key.a == kB1 && key.bit_operation == BitOperation::kAnd) return kAmpere;
  return key.a == kFp16 ? kVolta : kTuring;
}

/// Types an instruction family never carries (PTX manual).
bool kind_carries(const ArithmeticKey& key) {
  if (key.kind == InstructionKind::kWmma) return !is_fp8(key.a);
  if (key.kind == InstructionKind::kWgmma)
    return key.a != kFp64 && bits(key.a) != 4 &&
           !(key.a == kB1 && key.bit_operation == BitOperation::kXor);
  return true;
}

}  // namespace

Result<Arithmetic> find_arithmetic(const ArithmeticKey& key, const UndecidedBehavior& undecided) {
  if (const auto refusal = check_types(key)) return *refusal;
  if (!kind_carries(key)) return lacks(key, " on any generation");
  const Generation first = first_generation(key);
  if (key.generation < first) return lacks(key, "; it starts with " + std::string(name(first)));

  Arithmetic arithmetic;
  arithmetic.key = key;
  arithmetic.undecided = key.generation == kHopper ? kHopperBehavior : undecided;
  if (key.a == kFp64) {
    // GA10x and Ada run it through the same instruction; only its rate differs (assumption).
    arithmetic.scheme = Scheme::kFp64Chain;
    return arithmetic;
  }
  if (key.a == kB1 || is_integer(key.a)) {
    arithmetic.scheme = key.a == kB1 ? Scheme::kBits : Scheme::kInteger;
    return arithmetic;
  }
  if (key.m8n8k4 && key.generation >= kAmpere) {
    arithmetic.scheme = Scheme::kM8n8k4OnFp32Units;
    return arithmetic;
  }
  const bool wgmma = key.kind == InstructionKind::kWgmma;
  InputGroup input = input_group(key.a);
  ArithmeticKey unit_key = key;
  if (input == InputGroup::kFp8 && key.generation == kHopper && !wgmma) {
    arithmetic.scheme = Scheme::kFp8OnFp16Units;
    unit_key.a = unit_key.b = kFp16;
    input = InputGroup::kHalf;
  }
  const auto row = find_row(key.generation, wgmma, input, key.accumulator);
  if (!row) return lacks(key, "");
  arithmetic.block = params_of(*row, unit_key, arithmetic.undecided);
  if (key.m8n8k4) arithmetic.block.products = kM8n8k4Products;
  return arithmetic;
}

}  // namespace tcsim::numerics
