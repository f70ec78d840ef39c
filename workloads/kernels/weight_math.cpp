#include "workloads/kernels/weight_math.hpp"

#include <array>

#include "workloads/kernels/weight_order.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kFragment = 4;  // registers of 16 columns by 16 of k
constexpr int kPairColumns = 16;
constexpr int kBlockScaleRegisters = 2;  // four scales of 16 bits

// The bits of an integer become the last bits of a number whose last digit is worth one: 1024 in
// FP16, 128 in BF16, 2^23 in FP32. The subtracted constant includes the bias of the integers.
constexpr std::uint32_t kHalfMagic = 0x64006400;      // 1024
constexpr std::uint32_t kHalfByteMagic = 0x64646464;  // its upper byte
constexpr std::uint32_t kSixteenth = 0x2c002c00;      // 2^-4
constexpr std::uint32_t kBfloatMagic = 0x43004300;    // 128
constexpr std::uint32_t kBfloatOne = 0x3f803f80;
constexpr std::uint32_t kBfloatMinusZero = 0x80008000;
constexpr std::uint32_t kSingleMagic = 0x4b000000;  // 2^23
constexpr std::uint32_t kMinus1032 = 0xe408e408;    // FP16
constexpr std::uint32_t kMinus72 = 0xd480d480;      // FP16
constexpr std::uint32_t kMinus1152 = 0xe480e480;    // FP16
constexpr std::uint32_t kMinus136 = 0xc308c308;     // BF16
constexpr double kMinusSingle = -8388736.0;         // 2^23 + 128

constexpr std::int32_t kLowNibbles = 0x000f000f;
constexpr std::int32_t kHighNibbles = 0x00f000f0;
// Bytes 0 and 2, or 1 and 3, of a word below the upper byte of kHalfMagic.
constexpr std::array kHalfBytes{0x5250, 0x5351};
// Bytes 0, 2, 1 and 3 of a word as the last of kSingleMagic.
constexpr std::array kByteSelectors{0x7650, 0x7652, 0x7651, 0x7653};

isa::Instruction with_pattern(const isa::Instruction& instruction, std::uint32_t pattern) {
  return with_immediate(instruction, static_cast<std::int32_t>(pattern));
}

}  // namespace

int WeightMath::blocks() const { return plan().warps.warp_n / WeightOrder::kBlockColumns; }

int WeightMath::scale_registers() const { return blocks() * kBlockScaleRegisters; }

int WeightMath::fragment_registers() const {
  return a_registers() + integer_registers() + scale_registers();
}

int WeightMath::temporaries() const {
  if (weights_.is_bf16) return weights_.bits == 4 ? 3 : 4;
  return weights_.bits == 4 ? 1 : 0;
}

int WeightMath::buffered_registers() const {
  return 2 * fragment_registers() + 2 * kFragment + temporaries() +
         static_cast<int>(constants().size());
}

int WeightMath::rows(const MathRegisters& registers, int buffer) const {
  return registers.fragments + buffer * a_registers();
}

int WeightMath::integers(const MathRegisters& registers, int buffer) const {
  return rows(registers, 2) + buffer * integer_registers();
}

int WeightMath::scales(const MathRegisters& registers, int buffer) const {
  return integers(registers, 2) + buffer * scale_registers();
}

int WeightMath::converted(const MathRegisters& registers, int pair) const {
  return scales(registers, 2) + pair % 2 * kFragment;
}

int WeightMath::temporary(const MathRegisters& registers) const {
  return converted(registers, 0) + 2 * kFragment;
}

int WeightMath::constant_register(const MathRegisters& registers, int number) const {
  return temporary(registers) + temporaries() + number;
}

// The first constant is what integers are merged into, the last one (BF16) what products add, the
// other one a factor.
std::vector<std::uint32_t> WeightMath::constants() const {
  if (weights_.is_bf16)
    return weights_.bits == 4 ? std::vector{kBfloatMagic, kBfloatOne, kBfloatMinusZero}
                              : std::vector{kSingleMagic, kBfloatMinusZero};
  return weights_.bits == 4 ? std::vector{kHalfMagic, kSixteenth} : std::vector{kHalfByteMagic};
}

Instructions WeightMath::begin(const MathRegisters& registers) const {
  Instructions moves;
  int number = 0;
  for (const std::uint32_t pattern : constants())
    moves.push_back(with_pattern(
        arithmetic(Opcode::kMov, reg(constant_register(registers, number++))), pattern));
  return moves;
}

isa::Address WeightMath::integer_address(int block, int step, KTile tile) const {
  const int lane_bytes = 2 * weights_.bits;  // as many as of a column
  isa::Expression across = constant(std::int64_t{block} * WeightOrder::kBlockColumns * lane_bytes);
  plan().warps.add_column(across, std::int64_t{plan().warps.warp_n} * lane_bytes);
  add_field(across, {Variable::kLane, 0, kLaneBits, lane_bytes});
  isa::Expression k = constant(step);
  plan().warps.add_group(k, steps());
  return plan().b.at(across, k, tile);
}

isa::Address WeightMath::scale_address(int block, int step, KTile tile) const {
  constexpr int kScalesOfLane = 4;
  isa::Expression across = constant(std::int64_t{block} * WeightOrder::kBlockColumns);
  plan().warps.add_column(across, plan().warps.warp_n);
  add_field(across, {Variable::kLane, 2, 3, kScalesOfLane});
  isa::Expression row;
  if (weights_.scale_rows > 1) {
    isa::Expression k = constant(std::int64_t{step} * WeightOrder::kBlockK);
    plan().warps.add_group(k, std::int64_t{steps()} * WeightOrder::kBlockK);
    add_quotient(row, 1, k, weights_.group, 0);
  }
  return weights_.scales.at(across, row, tile);
}

Instructions WeightMath::loads(ProgramBuilder& builder, const MathRegisters& registers, int step,
                               int buffer, KTile tile) const {
  const Opcode load_integers = weights_.bits == 4 ? Opcode::kLds64 : Opcode::kLds128;
  Instructions loads = row_loads(builder, registers, rows(registers, buffer), step, tile);
  const auto add = [&](Opcode opcode, int to, isa::Address address) {
    loads.push_back(load(opcode, reg(to), reg(registers.address_b),
                         builder.access({.shared = std::move(address)})));
  };
  for (int block = 0; block < blocks(); ++block)
    add(load_integers, integers(registers, buffer) + block * weights_.bits / 2,
        integer_address(block, step, tile));
  for (int block = 0; block < blocks(); ++block)
    add(Opcode::kLds64, scales(registers, buffer) + block * kBlockScaleRegisters,
        scale_address(block, step, tile));
  return loads;
}

Instructions WeightMath::nibbles(const MathRegisters& registers, int to, int word) const {
  const isa::Register magic = reg(constant_register(registers, 0));
  const isa::Register factor = reg(constant_register(registers, 1));
  const int shifted = temporary(registers);
  Instructions ops;
  const auto shift = [&](int to_register, int by) {
    ops.push_back(with_immediate(arithmetic(Opcode::kShfRight, reg(to_register), reg(word)), by));
  };
  const auto merge = [&](int number, int from, std::int32_t mask) {
    ops.push_back(
        with_immediate(arithmetic(Opcode::kLop3AndOr, reg(to + number), reg(from), magic), mask));
  };
  if (weights_.is_bf16) {  // a last digit worth one leaves room for one nibble
    for (int number = 1; number < kFragment; ++number) shift(shifted + number - 1, 4 * number);
    for (int number = 0; number < kFragment; ++number)
      merge(number, number == 0 ? word : shifted + number - 1, kLowNibbles);
    for (int number = 0; number < kFragment; ++number)
      ops.push_back(with_pattern(
          arithmetic(Opcode::kHfma2Bf16, reg(to + number), reg(to + number), factor), kMinus136));
    return ops;
  }
  shift(shifted, 8);
  for (int number = 0; number < kFragment; ++number)
    merge(number, number < 2 ? word : shifted, number % 2 == 0 ? kLowNibbles : kHighNibbles);
  for (int number = 0; number < kFragment; ++number) {
    const isa::Register half = reg(to + number);
    ops.push_back(number % 2 == 0
                      ? with_pattern(arithmetic(Opcode::kHadd2, half, half), kMinus1032)
                      : with_pattern(arithmetic(Opcode::kHfma2, half, half, factor), kMinus72));
  }
  return ops;
}

Instructions WeightMath::half_bytes(const MathRegisters& registers, int to, int words) const {
  const isa::Register magic = reg(constant_register(registers, 0));
  Instructions ops;
  for (int number = 0; number < kFragment; ++number)
    ops.push_back(
        with_immediate(arithmetic(Opcode::kPrmt, reg(to + number), reg(words + number / 2), magic),
                       kHalfBytes.at(static_cast<std::size_t>(number % 2))));
  for (int number = 0; number < kFragment; ++number)
    ops.push_back(
        with_pattern(arithmetic(Opcode::kHadd2, reg(to + number), reg(to + number)), kMinus1152));
  return ops;
}

Instructions WeightMath::bfloat_bytes(const MathRegisters& registers, int to, int words) const {
  const isa::Register magic = reg(constant_register(registers, 0));
  const int singles = temporary(registers);
  Instructions ops;
  for (int word = 0; word < 2; ++word) {
    for (int i = 0; i < temporaries(); ++i)
      ops.push_back(
          with_immediate(arithmetic(Opcode::kPrmt, reg(singles + i), reg(words + word), magic),
                         kByteSelectors.at(static_cast<std::size_t>(i))));
    for (int i = 0; i < temporaries(); ++i)
      ops.push_back(with_literal(Opcode::kFadd, singles + i, singles + i, kMinusSingle));
    for (int i = 0; i < 2; ++i)
      ops.push_back(with_immediate(arithmetic(Opcode::kPrmt, reg(to + 2 * word + i),
                                              reg(singles + 2 * i), reg(singles + 2 * i + 1)),
                                   kHighHalves));
  }
  return ops;
}

// Registers 0 and 1 belong to the lower eight columns, 2 and 3 to the upper ones, whose scale is
// the upper half of `scales`.
Instructions WeightMath::scale(const MathRegisters& registers, int to, int scales) const {
  Instructions ops;
  for (int number = 0; number < kFragment; ++number) {
    const isa::Register half = reg(to + number);
    isa::Instruction product =
        weights_.is_bf16
            ? arithmetic(
                  Opcode::kHfma2Bf16, half, half, reg(scales),
                  reg(constant_register(registers, static_cast<int>(constants().size()) - 1)))
            : arithmetic(Opcode::kHmul2, half, half, reg(scales));
    product.immediate = number < 2 ? isa::kLowHalfTwice : isa::kHighHalfTwice;
    ops.push_back(product);
  }
  return ops;
}

Instructions WeightMath::convert(const MathRegisters& registers, int buffer, int pair) const {
  const int to = converted(registers, pair);
  const int words = integers(registers, buffer);
  Instructions ops;
  if (weights_.bits == 4)
    ops = nibbles(registers, to, words + pair);
  else if (weights_.is_bf16)
    ops = bfloat_bytes(registers, to, words + 2 * pair);
  else
    ops = half_bytes(registers, to, words + 2 * pair);
  extend(ops, scale(registers, to, scales(registers, buffer) + pair));
  return ops;
}

Instructions WeightMath::multiply(const MathRegisters& registers, int buffer, int pair) const {
  const int a = rows(registers, buffer);
  const int b = converted(registers, pair);
  const int passes = WeightOrder::kBlockK / isa::opcode_info(plan().mma).k;
  Instructions products;
  for (int pass = 0; pass < passes; ++pass)
    for (int i = 0; i < blocks_m(); ++i)
      for (int eighth = 0; eighth < 2; ++eighth) {
        const isa::Register sums = reg(accumulator(registers, i, 2 * pair + eighth));
        products.push_back(arithmetic(plan().mma, sums, reg(a + 4 * i + 2 * pass),
                                      reg(b + 2 * eighth + pass), sums));
      }
  return products;
}

int WeightMath::conversions() const {
  return plan().warps.warp_n / kPairColumns * static_cast<int>(convert({}, 0, 0).size());
}

Instructions WeightMath::math(const MathRegisters& registers, int buffer) const {
  const int pairs = plan().warps.warp_n / kPairColumns;
  Instructions math = convert(registers, buffer, 0);
  for (int pair = 0; pair < pairs; ++pair) {
    const Stream next{pair + 1 < pairs ? convert(registers, buffer, pair + 1) : Instructions{}};
    extend(math, place_in_gaps(multiply(registers, buffer, pair), std::array{next}));
  }
  return math;
}

}  // namespace tcsim::kernels
