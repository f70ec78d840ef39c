#include "models/numerics/instruction.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace tcsim::numerics {

namespace {

using enum ElementType;
using enum Generation;

struct TableRow {
  int input_bits;  ///< Of the type that the row is for; FP16, BF16 and 8-bit kinds are
                   ///< distinguished below.
  MmaShape shape;
  Generation first;
};

/// Dense mma.sync. FP8 rows are the 8-bit ones from Ada on; FP64 has its own width.
constexpr auto kDenseShapes = std::to_array<TableRow>({
    {16, {8, 8, 4}, kVolta},
    {16, {16, 8, 8}, kTuring},
    {16, {16, 8, 16}, kAmpere},
    {32, {16, 8, 4}, kAmpere},
    {32, {16, 8, 8}, kAmpere},
    {64, {8, 8, 4}, kAmpere},
    {64, {16, 8, 4}, kHopper},
    {64, {16, 8, 8}, kHopper},
    {64, {16, 8, 16}, kHopper},
    {8, {8, 8, 16}, kTuring},
    {8, {16, 8, 16}, kAmpere},
    {8, {16, 8, 32}, kAmpere},
    {4, {8, 8, 32}, kTuring},
    {4, {16, 8, 32}, kAmpere},
    {4, {16, 8, 64}, kAmpere},
    {1, {8, 8, 128}, kTuring},
    {1, {16, 8, 128}, kAmpere},
    {1, {16, 8, 256}, kAmpere},
});

constexpr auto kSparseShapes = std::to_array<TableRow>({
    {16, {16, 8, 16}, kAmpere},
    {16, {16, 8, 32}, kAmpere},
    {32, {16, 8, 8}, kAmpere},
    {32, {16, 8, 16}, kAmpere},
    {8, {16, 8, 32}, kAmpere},
    {8, {16, 8, 64}, kAmpere},
    {4, {16, 8, 64}, kAmpere},
    {4, {16, 8, 128}, kAmpere},
});

bool carries(const TableRow& row, ElementType input, bool sparse) {
  if (row.input_bits != bits(input)) return false;
  const bool wide = row.shape.m == 16;
  if (input == kBf16 || is_fp8(input))
    return wide && (!is_fp8(input) || !sparse || row.shape.k == 64);
  return true;
}

/// k of a dense wgmma: 256 bits of every row of A.
int wgmma_k(ElementType input) { return 256 / bits(input); }

Generation first_generation(const MmaInstruction& instruction) {
  Generation first = kHopper;
  for (const ShapeRow& row : shapes_of(instruction.kind, instruction.a, instruction.sparse))
    if (row.shape == instruction.shape || instruction.kind == InstructionKind::kWgmma)
      first = row.first;
  return first;
}

}  // namespace

std::string to_string(const MmaShape& shape) {
  std::string text("m");
  text += std::to_string(shape.m);
  text += 'n';
  text += std::to_string(shape.n);
  text += 'k';
  text += std::to_string(shape.k);
  return text;
}

std::vector<ShapeRow> shapes_of(InstructionKind kind, ElementType input, bool sparse) {
  std::vector<ShapeRow> rows;
  if (kind == InstructionKind::kWgmma) {
    if (bits(input) == 4 || bits(input) == 64 || (sparse && input == kB1)) return rows;
    rows.push_back({{64, 8, wgmma_k(input) * (sparse ? 2 : 1)}, kHopper});
    return rows;
  }
  const auto add = [&](const TableRow& row) {
    if (!carries(row, input, sparse)) return;
    Generation first = is_fp8(input) ? std::max(row.first, kAda) : row.first;
    if (input == kBf16) first = std::max(first, kAmpere);
    rows.push_back({row.shape, first});
  };
  if (sparse)
    std::for_each(kSparseShapes.begin(), kSparseShapes.end(), add);
  else
    std::for_each(kDenseShapes.begin(), kDenseShapes.end(), add);
  return rows;
}

Result<Arithmetic> arithmetic_of(const MmaInstruction& instruction, const TensorArithmetic& core,
                                 const UndecidedBehavior& undecided) {
  const Generation generation = core.base;
  ArithmeticKey key;
  key.kind = instruction.kind;
  key.a = instruction.a;
  key.b = instruction.b;
  key.accumulator = instruction.d;
  key.saturate = instruction.saturate;
  key.bit_operation = instruction.bit_operation;
  key.m8n8k4 = instruction.matrices() > 1 && !instruction.on_tensor_core;
  key.fp64_rounding = instruction.fp64_rounding;
  Result<Arithmetic> found = find_arithmetic(core, key, undecided);
  if (!found.has_value()) return found;
  const Generation first = first_generation(instruction);
  if (generation < first && !instruction.shaped)
    return unsupported(std::string(name(generation)) + " has no " +
                       (instruction.sparse ? "sparse " : "") + to_string(instruction.shape) +
                       " with " + std::string(name(instruction.a)) + "; it starts with " +
                       std::string(name(first)));
  if (instruction.sparse && found.value().scheme == Scheme::kFp8OnFp16Units)
    return unsupported("sparse FP8 mma.sync is emulated by software on " +
                       std::string(name(generation)) + " in a way nobody has described");
  return found;
}

Result<Generation> newest_generation(const MmaInstruction& instruction) {
  std::optional<Generation> newest;
  for (const GenerationInfo& row : kGenerations)
    if (arithmetic_of(instruction, row.generation).has_value()) newest = row.generation;
  if (newest) return *newest;
  return arithmetic_of(instruction, kGenerations.back().generation).refusal();
}

}  // namespace tcsim::numerics
