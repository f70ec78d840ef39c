#include "tests/kernels/fragments.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/number_codec.hpp"

namespace tcsim::kernels::testing {
namespace {

using isa::Opcode;

struct Place {
  int row;
  int column;
};

enum class Format { kFp16, kBf16, kFp32, kInt8, kInt32 };

int elements_per_register(Format format) {
  if (format == Format::kInt8) return 4;
  return format == Format::kFp16 || format == Format::kBf16 ? 2 : 1;
}

/// Element `i` of the registers that start at `first`.
double read(const LaneRegisters& lane, int first, int i, Format format) {
  const int per = elements_per_register(format);
  const std::uint32_t word = lane[index(first + i / per)];
  switch (format) {
    case Format::kFp16:
      return from_fp16((word >> (16 * (i % 2))) & 0xffff);
    case Format::kBf16:
      return from_bf16((word >> (16 * (i % 2))) & 0xffff);
    case Format::kFp32:
      return std::bit_cast<float>(word);
    case Format::kInt8:
      return static_cast<std::int8_t>((word >> (8 * (i % 4))) & 0xff);
    case Format::kInt32:
      return static_cast<std::int32_t>(word);
  }
  return 0;
}

void write(LaneRegisters& lane, int first, int i, Format format, double value) {
  const int per = elements_per_register(format);
  std::uint32_t& word = lane[index(first + i / per)];
  if (format == Format::kFp32) {
    word = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  } else if (format == Format::kInt32) {
    word = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  } else {
    const int shift = 16 * (i % 2);
    word =
        (word & ~(0xffffU << shift)) | (std::uint32_t{to_fp16(static_cast<float>(value))} << shift);
  }
}

struct MmaShape {
  int m, n, k;
  Format input, accumulator;
};

MmaShape shape_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::kHmma1688F32:
      return {16, 8, 8, Format::kFp16, Format::kFp32};
    case Opcode::kHmma1688F16:
      return {16, 8, 8, Format::kFp16, Format::kFp16};
    case Opcode::kHmma16816F32:
      return {16, 8, 16, Format::kFp16, Format::kFp32};
    case Opcode::kHmma16816F16:
      return {16, 8, 16, Format::kFp16, Format::kFp16};
    case Opcode::kHmma16816F32Bf16:
      return {16, 8, 16, Format::kBf16, Format::kFp32};
    case Opcode::kHmma1688F32Tf32:
      return {16, 8, 8, Format::kFp32, Format::kFp32};
    case Opcode::kImma16832S8:
      return {16, 8, 32, Format::kInt8, Format::kInt32};
    default:
      ADD_FAILURE() << "no fragments for this opcode";
      return {};
  }
}

/// Place of element i of A: rows g and g + 8 alternate per register, halves of k per two registers.
Place place_in_a(int lane, int i, Format format) {
  const int per = elements_per_register(format);
  const int half_k = 4 * per;
  return {lane / 4 + 8 * (i / per % 2), per * (lane % 4) + i % per + half_k * (i / per / 2)};
}

Place place_in_b(int lane, int i, Format format) {
  const int per = elements_per_register(format);
  return {per * (lane % 4) + i % per + 4 * per * (i / per), lane / 4};
}

void execute_m16n8(const isa::Instruction& instruction, WarpRegisters& registers) {
  const MmaShape shape = shape_of(instruction.opcode);
  std::vector<double> a(index(shape.m * shape.k));
  std::vector<double> b(index(shape.k * shape.n));
  for (int lane = 0; lane < 32; ++lane) {
    const LaneRegisters& r = registers[index(lane)];
    for (int i = 0; i < shape.m * shape.k / 32; ++i) {
      const Place at = place_in_a(lane, i, shape.input);
      a[index(at.row * shape.k + at.column)] = read(r, instruction.src[0], i, shape.input);
    }
    for (int i = 0; i < shape.k * shape.n / 32; ++i) {
      const Place at = place_in_b(lane, i, shape.input);
      b[index(at.row * shape.n + at.column)] = read(r, instruction.src[1], i, shape.input);
    }
  }
  for (int lane = 0; lane < 32; ++lane) {
    LaneRegisters& r = registers[index(lane)];
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + 8 * (i / 2);
      const int column = 2 * (lane % 4) + i % 2;
      double sum = read(r, instruction.src[2], i, shape.accumulator);
      for (int k = 0; k < shape.k; ++k)
        sum += a[index(row * shape.k + k)] * b[index(k * shape.n + column)];
      write(r, instruction.dst, i, shape.accumulator, sum);
    }
  }
}

struct QuadPairProduct {
  double a[8][4];
  double b[4][8];
};

/// A and B of the quad pair with number `pair`.
QuadPairProduct gather(const isa::Instruction& instruction, const WarpRegisters& registers,
                       int pair) {
  QuadPairProduct product{};
  for (int t = 0; t < 8; ++t) {
    const int lane = 4 * pair + t % 4 + 16 * (t / 4);
    const LaneRegisters& r = registers[index(lane)];
    for (int i = 0; i < 4; ++i) {
      const double a = read(r, instruction.src[0], i, Format::kFp16);
      const double b = read(r, instruction.src[1], i, Format::kFp16);
      const int across = i + 4 * (t / 4);
      if ((instruction.immediate & isa::kColumnMajorA) != 0)
        product.a[across][t % 4] = a;
      else
        product.a[t][i] = a;
      if ((instruction.immediate & isa::kRowMajorB) != 0)
        product.b[t % 4][across] = b;
      else
        product.b[i][t] = b;
    }
  }
  return product;
}

void execute_step(const isa::Instruction& instruction, WarpRegisters& registers, int step,
                  bool half) {
  for (int pair = 0; pair < 4; ++pair) {
    const QuadPairProduct product = gather(instruction, registers, pair);
    for (int t = 0; t < 8; ++t) {
      LaneRegisters& r = registers[index(4 * pair + t % 4 + 16 * (t / 4))];
      const int elements = half ? 4 : 2;
      for (int j = 0; j < elements; ++j) {
        const int i = step * elements + j;
        const int row = half ? t : t % 2 + (i & 2) + 4 * (t / 4);
        const int column = half ? i : (i & 4) + (t & 2) + i % 2;
        const Format format = half ? Format::kFp16 : Format::kFp32;
        double sum = read(r, instruction.src[2], j, format);
        for (int k = 0; k < 4; ++k) sum += product.a[row][k] * product.b[k][column];
        write(r, instruction.dst, j, format, sum);
      }
    }
  }
}

}  // namespace

void execute_mma(const isa::Instruction& instruction, WarpRegisters& registers) {
  const int opcode = static_cast<int>(instruction.opcode);
  const int single = static_cast<int>(Opcode::kHmma884F32Step0);
  const int half = static_cast<int>(Opcode::kHmma884F16Step0);
  if (opcode >= single && opcode < single + 4)
    execute_step(instruction, registers, opcode - single, false);
  else if (opcode >= half && opcode < half + 2)
    execute_step(instruction, registers, opcode - half, true);
  else
    execute_m16n8(instruction, registers);
}

}  // namespace tcsim::kernels::testing
