#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "models/functional/matrix_unit.hpp"
#include "models/numerics/fragment.hpp"
#include "models/numerics/mma.hpp"

namespace tcsim::functional {
namespace {

using isa::Opcode;
using numerics::Fragment;
using numerics::OperandRole;

constexpr isa::Register kA = 0;
constexpr isa::Register kB = 64;
constexpr isa::Register kC = 128;  // and D

/// One dense MMA of one step, and what its product is by numerics.
struct Case {
  Opcode opcode;
  numerics::MmaInstruction instruction;
};

numerics::ElementType type_of(isa::MmaInput input) {
  switch (input) {
    case isa::MmaInput::kBf16:
      return numerics::ElementType::kBf16;
    case isa::MmaInput::kTf32:
      return numerics::ElementType::kTf32;
    case isa::MmaInput::kInt8:
      return numerics::ElementType::kInt8;
    case isa::MmaInput::kFp64:
      return numerics::ElementType::kFp64;
    default:
      return numerics::ElementType::kFp16;
  }
}

/// Every dense MMA of the instruction table that has values.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const isa::OpcodeInfo& info = isa::opcode_info(opcode);
    const bool timing_alone =
        info.mma_input == isa::MmaInput::kInt4 || info.mma_input == isa::MmaInput::kBit ||
        (info.mma_input == isa::MmaInput::kFp64 && info.m > 8 && !info.shaped);
    if (!isa::is_mma(opcode) || info.sparse || info.mma_step.count > 1 || timing_alone) continue;
    numerics::MmaInstruction instruction;
    if (info.shaped && info.m + info.n > 80) continue;  // nothing that the smaller ones lack
    instruction.shape = {info.m, info.n, info.k};
    instruction.shaped = info.shaped;
    instruction.a = instruction.b = type_of(info.mma_input);
    instruction.c = instruction.d = *info.mma_sum;
    all.push_back({opcode, instruction});
  }
  return all;
}

/// Finite numbers of about one, or any bits of an integer.
std::uint64_t drawn(std::mt19937_64& random, numerics::ElementType type) {
  if (numerics::is_integer(type)) return random() & ((std::uint64_t{1} << bits(type)) - 1);
  const numerics::Format& format = numerics::format_of(type);
  const std::uint64_t exponent = format.bias - 3 + random() % 6;
  const std::uint64_t fraction = random() & ((std::uint64_t{1} << format.fraction_bits) - 1);
  const std::uint64_t sign = random() % 2 << (bits(type) - 1);
  return sign | (exponent << format.fraction_bits | fraction) << format.ignored_low_bits;
}

/// The matrix of one operand, row by row.
struct Matrix {
  int columns;
  std::vector<std::uint64_t> elements;

  [[nodiscard]] std::uint64_t at(int row, int column) const {
    return elements[static_cast<std::size_t>(row * columns + column)];
  }
};

std::vector<std::uint32_t> lane_image(const RegisterFile& registers, isa::Register first,
                                      const Fragment& fragment, std::size_t lane) {
  std::vector<std::uint32_t> words;
  for (int i = 0; i < fragment.registers_per_lane(); ++i)
    words.push_back(registers.read(first, static_cast<std::size_t>(i))[lane]);
  return words;
}

Matrix read(const RegisterFile& registers, isa::Register first, const Fragment& fragment) {
  Matrix matrix{fragment.columns(), {}};
  for (int row = 0; row < fragment.rows(); ++row)
    for (int column = 0; column < fragment.columns(); ++column) {
      const numerics::FragmentSlot slot = fragment.slot({0, row, column});
      matrix.elements.push_back(
          fragment.read(lane_image(registers, first, fragment, static_cast<std::size_t>(slot.lane)),
                        slot.element));
    }
  return matrix;
}

/// Random elements where the fragment has them.
void fill(RegisterFile& registers, isa::Register first, const Fragment& fragment,
          std::mt19937_64& random) {
  std::vector<LaneWords> words(static_cast<std::size_t>(fragment.registers_per_lane()));
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::vector<std::uint32_t> image(words.size());
    for (int i = 0; i < fragment.elements_per_lane(); ++i)
      fragment.write(image, i, drawn(random, fragment.type()));
    for (std::size_t i = 0; i < words.size(); ++i) words[i][lane] = image[i];
  }
  for (std::size_t i = 0; i < words.size(); ++i) registers.write(first, i, words[i]);
}

class AnyMma : public ::testing::TestWithParam<Case> {};

TEST_P(AnyMma, OnItsRegistersIsTheProductOfTheMatricesThatTheyHold) {
  const auto& [opcode, instruction] = GetParam();
  const auto generation = numerics::newest_generation(instruction);
  ASSERT_TRUE(generation.has_value()) << generation.refusal().reason;
  std::mt19937_64 random(1);
  RegisterFile registers;
  const Fragment a(instruction, OperandRole::kA);
  const Fragment b(instruction, OperandRole::kB);
  const Fragment c(instruction, OperandRole::kC);
  fill(registers, kA, a, random);
  fill(registers, kB, b, random);
  fill(registers, kC, c, random);
  isa::Instruction operation;
  operation.opcode = opcode;
  operation.dst = kC;
  operation.src = {kA, kB, kC, isa::kZeroRegister};
  const Matrix rows = read(registers, kA, a);
  const Matrix columns = read(registers, kB, b);
  const Matrix sums = read(registers, kC, c);
  const auto refusal = MatrixUnit(generation.value()).execute(operation, {}, registers);
  ASSERT_FALSE(refusal.has_value()) << refusal->reason;
  const auto arithmetic = numerics::arithmetic_of(instruction, generation.value());
  const Matrix d = read(registers, kC, Fragment(instruction, OperandRole::kD));
  for (int m = 0; m < instruction.shape.m; ++m)
    for (int n = 0; n < instruction.shape.n; ++n) {
      std::vector<std::uint64_t> row;
      std::vector<std::uint64_t> column;
      for (int k = 0; k < instruction.shape.k; ++k) {
        row.push_back(rows.at(m, k));
        column.push_back(columns.at(k, n));
      }
      EXPECT_EQ(d.at(m, n), numerics::mma(arithmetic.value(), row, column, sums.at(m, n)))
          << m << ' ' << n;
    }
}

INSTANTIATE_TEST_SUITE_P(Opcodes, AnyMma, ::testing::ValuesIn(cases()), [](const auto& one) {
  std::string name(isa::opcode_info(one.param.opcode).mnemonic);
  std::ranges::replace(name, '.', '_');
  return name;
});

}  // namespace
}  // namespace tcsim::functional
