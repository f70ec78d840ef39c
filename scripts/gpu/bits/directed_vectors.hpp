#pragma once

#include <cstring>
#include <vector>

#include "scripts/gpu/bits/instruction.hpp"
#include "scripts/gpu/bits/vector.hpp"

namespace tcsim::measure {

/// Operands that distinguish arithmetics: grid of the alignment, products that are not normalised,
/// subnormal operands, lost half units, ties, overflow between blocks, floor of the exponent,
/// ignored bits of TF32. Elements beyond those given are 0.
inline std::vector<Vector> directed_vectors(const Instruction& instruction) {
  struct Row {
    const char* input;
    const char* accumulator;
    std::vector<std::uint64_t> a;
    std::vector<std::uint64_t> b;
    std::uint64_t c;
  };
  static const std::vector<Row> rows{
      {"f16",
       "f32",
       {0xf000, 0xb800, 0xb400, 0xb000},
       {0x6400, 0x3c00, 0x3c00, 0x3c00},
       0x4b000000},
      {"f16", "f32", {0x4000, 0xc000}, {0x4000, 0x4000}, 0x3f800001},
      {"f16", "f32", {0x4080, 0xc080}, {0x3c00, 0x3c00}, 0x33800000},
      {"f16", "f32", {0x3e00, 0xbe00}, {0x3e00, 0x3e00}, 0x33800000},
      {"f16", "f32", {0x0001, 0x8001}, {0x7800, 0x7800}, 0x3f800001},
      {"f16", "f32", {0x0001, 0x8001}, {0x7800, 0x7800}, 0x3f000001},
      {"f16", "f32", {0x1800, 0x9800}, {0x3c00, 0x3c00}, 0x3f800001},
      {"f16", "f32", {0x3a00}, {0x0002}, 0x3f800000},
      {"f16", "f32", {0x3800, 0x3800}, {0x0002, 0x0002}, 0x3f800000},
      {"f16",
       "f32",
       {0x0c00, 0x0c00, 0x0c00, 0x0c00},
       {0x0c00, 0x0c00, 0x0c00, 0x0c00},
       0x3f7fffff},
      {"f16",
       "f32",
       {0x0c00, 0x0c00, 0x0c00, 0x0c00},
       {0x0c00, 0x0c00, 0x0c00, 0x0c00},
       0x3f800000},
      {"f16", "f32", {0x0001}, {0x0001}, 0},
      {"f16", "f32", {0x7c00}, {0x0000}, 0x3f800000},
      {"f16", "f32", {0x3c00}, {0x3c00}, 0xffc12345},
      {"f16", "f32", {0xfc00}, {0x4000}, 0x3f800000},
      {"f16",
       "f32",
       {0x8000, 0x8000, 0x8000, 0x8000},
       {0x3c00, 0x3c00, 0x3c00, 0x3c00},
       0x80000000},
      {"f16", "f16", {0x3800}, {0x3c00}, 0x6401},
      {"f16", "f16", {0x3800}, {0x3c00}, 0x6400},
      {"f16", "f16", {0x3800, 0x0c00}, {0x3c00, 0x3400}, 0x6400},
      {"f16", "f16", {0x3800}, {0x5000}, 0x7bff},
      {"f16", "f16", {0x3400}, {0x5000}, 0x7bff},
      {"f16",
       "f16",
       {0x5640, 0x5640, 0x5640, 0x5640, 0x5640, 0x5640, 0x5640, 0, 0xd640, 0xd640},
       {0x5640, 0x5640, 0x5640, 0x5640, 0x5640, 0x5640, 0x5640, 0, 0x5640, 0x5640},
       0},
      {"bf16", "f32", {0x7f00}, {0x3380}, 0x7f7fffff},
      {"bf16", "f32", {0x7f00, 0x7f00}, {0x3f80, 0x3f80}, 0},
      {"bf16", "f32", {0x7f00, 0xff00}, {0x7f00, 0x7f00}, 0x3f800000},
      {"bf16", "f32", {0x0001, 0x0001}, {0x3700, 0x3700}, 0},
      {"bf16",
       "f32",
       {0x0d80, 0x0d80, 0x0d80, 0x0d80, 0x0d80},
       {0x26fc, 0x237e, 0x237e, 0x237e, 0x237e},
       0},
      {"tf32", "f32", {0x3f801fff}, {0x3f800000}, 0},
      {"tf32", "f32", {0x7f800001}, {0x3f800000}, 0},
      {"tf32", "f32", {0x7f802000}, {0x3f800000}, 0},
      {"tf32", "f32", {0x00002000}, {0x7f000000}, 0},
      {"e4m3", "f32", {0x00}, {0x00}, 0x3f801fff},
      {"e4m3", "f32", {0x38, 0x01, 0x01, 0x01, 0x01}, {0x38, 0x08, 0x08, 0x08, 0x08}, 0}};
  std::vector<Vector> vectors;
  if (instruction.input == nullptr) return vectors;
  for (const Row& row : rows) {
    if (std::strcmp(row.input, instruction.input->name) != 0 ||
        std::strcmp(row.accumulator, instruction.accumulator->name) != 0)
      continue;
    const auto k = static_cast<std::size_t>(instruction.k);
    if (row.a.size() > k) continue;
    Vector vector{"directed", row.a, row.b, row.c};
    vector.a.resize(k);
    vector.b.resize(k);
    vectors.push_back(vector);
  }
  return vectors;
}

}  // namespace tcsim::measure
