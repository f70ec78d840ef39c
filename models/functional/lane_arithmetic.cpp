#include "models/functional/lane_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "models/isa/operands.hpp"
#include "models/numerics/convert.hpp"
#include "models/numerics/ieee_fma.hpp"
#include "models/numerics/transcendental.hpp"

namespace tcsim::functional {
namespace {

using isa::Instruction;
using isa::Opcode;
using numerics::ElementType;

/// The source operands of one instruction, 32 bits each, including literals and constants.
class Sources {
 public:
  Sources(const Instruction& instruction, const RegisterFile& registers) {
    const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
    std::size_t last = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] = &registers.read(instruction.src[i]);
      if (info.src_registers[i] > 0) last = i;
    }
    if (!instruction.has_immediate && !instruction.has_constant) {
      if (takes_half_twice(instruction)) double_half(instruction.immediate);
      return;
    }
    // The values of constants are unknown here.
    literal_.fill(instruction.has_constant ? kUnwritten
                                           : static_cast<std::uint32_t>(instruction.immediate));
    words_[last] = &literal_;
  }
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  const LaneWords& operator[](std::size_t operand) const { return *words_[operand]; }

 private:
  static bool takes_half_twice(const Instruction& instruction) {
    return instruction.immediate != 0 &&
           (instruction.opcode == Opcode::kHmul2 || instruction.opcode == Opcode::kHfma2Bf16);
  }
  /// Puts the same half of src[1] into both halves.
  void double_half(std::int32_t which) {
    const int shift = which == isa::kHighHalfTwice ? 16 : 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t half = (*words_[1])[lane] >> shift & 0xffff;
      literal_[lane] = half | half << 16;
    }
    words_[1] = &literal_;
  }

  std::array<const LaneWords*, isa::kSourceOperands> words_{};
  LaneWords literal_{};  ///< used in place of a register
};

using Word = std::uint32_t;

/// Applies `function` to as many sources as it takes, in every lane.
template <auto function>
LaneWords in_lanes(const Sources& s) {
  LaneWords result{};
  for (std::size_t l = 0; l < kLanes; ++l) {
    if constexpr (std::is_invocable_v<decltype(function), Word, Word, Word>)
      result[l] = function(s[0][l], s[1][l], s[2][l]);
    else if constexpr (std::is_invocable_v<decltype(function), Word, Word>)
      result[l] = function(s[0][l], s[1][l]);
    else
      result[l] = function(s[0][l]);
  }
  return result;
}

/// Each lane receives the first source of the lane that `source` computes from the third source and
/// the receiving lane.
template <auto source>
LaneWords from_lanes(const Sources& s) {
  LaneWords result{};
  for (std::size_t l = 0; l < kLanes; ++l) result[l] = s[0][source(s[2][l], l)];
  return result;
}

std::uint32_t packed(std::uint32_t low, std::uint32_t high) { return (low & 0xffff) | high << 16; }

/// Packs two bytes and, above them, half a register.
std::uint32_t packed_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t above) {
  return (low & 0xff) | (high & 0xff) << 8 | above << 16;
}

/// One FP16 operation on both halves of words.
template <typename Operation, typename... Words>
std::uint32_t on_halves(const Operation& operation, Words... words) {
  return packed(static_cast<std::uint32_t>(operation((words & 0xffff)...)),
                static_cast<std::uint32_t>(operation((words >> 16)...)));
}

std::uint32_t half_add(std::uint32_t a, std::uint32_t b) {
  return on_halves([](auto x, auto y) { return numerics::ieee_add(ElementType::kFp16, x, y); }, a,
                   b);
}

std::uint32_t half_multiply(std::uint32_t a, std::uint32_t b) {
  return on_halves([](auto x, auto y) { return numerics::ieee_multiply(ElementType::kFp16, x, y); },
                   a, b);
}

std::uint32_t e4m3_of(std::uint32_t single) {
  return static_cast<std::uint32_t>(
      numerics::convert_saturating(ElementType::kFp32, single, ElementType::kE4m3));
}

/// `type`: FP16 or BF16.
template <ElementType type>
std::uint32_t half_fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return on_halves([](auto x, auto y, auto z) { return numerics::ieee_fma(type, x, y, z); }, a, b,
                   c);
}

std::uint32_t permuted(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
  const std::uint64_t bytes = (std::uint64_t{high} << 32) | low;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<std::uint32_t>(bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff)
              << (8 * i);
  return result;
}

/// FMNMX: IEEE 754 maximumNumber, +0 above -0.
std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
  const float x = numerics::host_float(a);
  const float y = numerics::host_float(b);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y) ? 0x7fffffff : std::isnan(x) ? b : a;
  if (x == y) return std::signbit(x) ? b : a;
  return x > y ? a : b;
}

std::uint32_t half_as_single(std::uint32_t halves, std::uint32_t which) {
  return numerics::fp16_to_fp32(static_cast<std::uint16_t>(halves >> (16 * (which & 1))));
}

/// cvt.rni.sat.s8.f32, sign-extended; a NaN becomes 0 (PTX manual, cvt).
std::uint32_t saturated_int8(std::uint32_t pattern) {
  const float value = numerics::host_float(pattern);
  if (std::isnan(value)) return 0;
  const float integer = std::nearbyint(std::clamp(value, -128.0F, 127.0F));
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(integer));
}

std::uint32_t byte_as_single(std::uint32_t bytes, std::uint32_t which) {
  const auto byte = static_cast<std::int8_t>(bytes >> (8 * (which & 3)) & 0xff);
  return numerics::fp32_pattern(static_cast<float>(byte));
}

/// The sum of four products of signed bytes and `sum`, modulo 2^32.
std::uint32_t dot_of_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
  for (int byte = 0; byte < 4; ++byte) {
    const int product =
        static_cast<std::int8_t>(a >> 8 * byte) * static_cast<std::int8_t>(b >> 8 * byte);
    sum += static_cast<std::uint32_t>(product);
  }
  return sum;
}

/// Logical shift: fills with zeros.
std::uint32_t shifted_right(std::uint32_t word, std::uint32_t places) {
  return places < 32 ? word >> places : 0;
}

std::uint32_t single_of_integer(std::uint32_t integer) {
  return numerics::fp32_pattern(static_cast<float>(static_cast<std::int32_t>(integer)));
}

using Evaluate = LaneWords (*)(const Sources&);

struct Operation {
  Opcode opcode;
  Evaluate evaluate;
};

/// The operations that compute, except those on doubles.
constexpr std::array kOperations{
    Operation{Opcode::kFadd, in_lanes<numerics::fp32_add>},
    Operation{Opcode::kFmul, in_lanes<numerics::fp32_multiply>},
    Operation{Opcode::kFfma, in_lanes<numerics::fp32_fma>},
    Operation{Opcode::kFmnmx, in_lanes<larger>},
    Operation{Opcode::kMufuEx2, in_lanes<numerics::fp32_exp2>},
    Operation{Opcode::kMufuLg2, in_lanes<numerics::fp32_log2>},
    Operation{Opcode::kMufuRcp, in_lanes<numerics::fp32_reciprocal>},
    Operation{Opcode::kMufuRsq, in_lanes<numerics::fp32_reciprocal_root>},
    Operation{Opcode::kShfl,
              from_lanes<[](Word mask, std::size_t l) { return (l ^ mask) % kLanes; }>},
    Operation{Opcode::kShflIdx, from_lanes<isa::source_lane>},
    Operation{Opcode::kHadd2F32, in_lanes<half_as_single>},
    Operation{Opcode::kF2iS8, in_lanes<saturated_int8>},
    Operation{Opcode::kI2fS8, in_lanes<byte_as_single>},
    Operation{Opcode::kHadd2, in_lanes<half_add>},
    Operation{Opcode::kHmul2, in_lanes<half_multiply>},
    Operation{Opcode::kHfma2, in_lanes<half_fma<ElementType::kFp16>>},
    Operation{Opcode::kHfma2Bf16, in_lanes<half_fma<ElementType::kBf16>>},
    Operation{Opcode::kLop3AndOr, in_lanes<[](Word a, Word b, Word c) { return (a & c) | b; }>},
    Operation{Opcode::kShfRight, in_lanes<shifted_right>},
    Operation{Opcode::kDp4a, in_lanes<dot_of_bytes>},
    Operation{Opcode::kF2fp, in_lanes<[](Word high, Word low) {
                return packed(numerics::fp32_to_fp16(low), numerics::fp32_to_fp16(high));
              }>},
    Operation{Opcode::kF2fpBf16, in_lanes<[](Word high, Word low) {
                return packed(numerics::fp32_to_bf16(low), numerics::fp32_to_bf16(high));
              }>},
    Operation{Opcode::kF2fpE4m3, in_lanes<[](Word high, Word low, Word above) {
                return packed_bytes(e4m3_of(low), e4m3_of(high), above);
              }>},
    Operation{Opcode::kF2ipS8, in_lanes<[](Word high, Word low, Word above) {
                return packed_bytes(saturated_int8(low), saturated_int8(high), above);
              }>},
    Operation{Opcode::kF2f, in_lanes<numerics::fp32_to_fp16>},
    Operation{Opcode::kI2f, in_lanes<single_of_integer>},
    Operation{Opcode::kI2fp, in_lanes<single_of_integer>},
    Operation{Opcode::kIadd3, in_lanes<[](Word a, Word b, Word c) { return a + b + c; }>},
    Operation{Opcode::kPrmt, in_lanes<permuted>},
    Operation{Opcode::kMov, in_lanes<[](Word a) { return a; }>},
    Operation{Opcode::kCs2r, in_lanes<[](Word /*none*/) { return 0; }>}};

/// By opcode; null for opcodes that do not compute.
constexpr auto kEvaluate = [] {
  std::array<Evaluate, isa::kMostOpcodes> all{};
  for (const Operation& row : kOperations) all[static_cast<std::size_t>(row.opcode)] = row.evaluate;
  return all;
}();

Evaluate evaluate_of(Opcode opcode) { return kEvaluate[static_cast<std::size_t>(opcode)]; }

/// A double of every lane: the register pair of source `operand`, or a literal that gives the upper
/// word.
class DoubleSource {
 public:
  DoubleSource(const Instruction& instruction, int operand, const RegisterFile& registers) {
    const bool is_last = operand + 1 == kSources ||
                         isa::opcode_info(instruction.opcode).src_registers[operand + 1] == 0;
    if (is_last && (instruction.has_immediate || instruction.has_constant)) {
      low_.fill(instruction.has_constant ? kUnwritten : 0);
      high_.fill(instruction.has_constant ? kUnwritten
                                          : static_cast<std::uint32_t>(instruction.immediate));
      return;
    }
    low_ = registers.read(instruction.src[operand], 0);
    high_ = registers.read(instruction.src[operand], 1);
  }
  std::uint64_t operator[](std::size_t lane) const {
    return std::uint64_t{high_[lane]} << 32 | low_[lane];
  }

 private:
  static constexpr int kSources = 3;
  LaneWords low_{};
  LaneWords high_{};
};

/// DADD, DMUL, DFMA: one rounding to nearest even.
void execute_double(const Instruction& instruction, LaneMask mask, RegisterFile& registers) {
  const DoubleSource a(instruction, 0, registers);
  const DoubleSource b(instruction, 1, registers);
  const DoubleSource c(instruction, 2, registers);
  LaneWords low{};
  LaneWords high{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    constexpr ElementType kType = ElementType::kFp64;
    const std::uint64_t result = instruction.opcode == Opcode::kDadd
                                     ? numerics::ieee_add(kType, a[lane], b[lane])
                                 : instruction.opcode == Opcode::kDmul
                                     ? numerics::ieee_multiply(kType, a[lane], b[lane])
                                     : numerics::ieee_fma(kType, a[lane], b[lane], c[lane]);
    low[lane] = static_cast<std::uint32_t>(result);
    high[lane] = static_cast<std::uint32_t>(result >> 32);
  }
  registers.write(instruction.dst, 0, low, mask);
  registers.write(instruction.dst, 1, high, mask);
}

}  // namespace

ValueClass value_class(Opcode opcode) {
  if (evaluate_of(opcode) != nullptr) return ValueClass::kData;
  switch (opcode) {
    case Opcode::kDadd:
    case Opcode::kDmul:
    case Opcode::kDfma:
      return ValueClass::kData;
    case Opcode::kLop3:
    case Opcode::kShf:
    case Opcode::kLea:
    case Opcode::kIsetp:
    case Opcode::kSel:
    case Opcode::kPlop3:
    case Opcode::kImad:
    case Opcode::kImadWide:
    case Opcode::kS2r:
    case Opcode::kNop:
      return ValueClass::kAddress;
    default:
      return isa::opcode_info(opcode).pipe == isa::Pipe::kUniform ? ValueClass::kAddress
                                                                  : ValueClass::kUnknown;
  }
}

void execute_arithmetic(const Instruction& instruction, LaneMask mask, RegisterFile& registers) {
  if (isa::opcode_info(instruction.opcode).pipe == isa::Pipe::kFp64)
    return execute_double(instruction, mask, registers);
  LaneWords result{};
  if (const Evaluate evaluate = evaluate_of(instruction.opcode))
    result = evaluate(Sources(instruction, registers));
  else
    result.fill(kUnwritten);
  // Both words of CS2R and IMAD.WIDE are equal: zero, or the unwritten pattern.
  const std::size_t width = isa::opcode_info(instruction.opcode).dst_registers;
  for (std::size_t i = 0; i < width; ++i) registers.write(instruction.dst, i, result, mask);
}

}  // namespace tcsim::functional
