#pragma once

#include <string>
#include <vector>

#include "models/numerics/tensor_arithmetic.hpp"

namespace tcsim::numerics {

/// D[m][n] = A[m][k] * B[k][n] + C[m][n].
struct MmaShape {
  int m = 16;
  int n = 8;
  int k = 16;
  friend bool operator==(const MmaShape&, const MmaShape&) = default;
};

/// "m16n8k16"
std::string to_string(const MmaShape& shape);

enum class Layout : std::uint8_t { kRow, kColumn };

/// One matrix instruction as its PTX name describes it.
struct MmaInstruction {
  InstructionKind kind = InstructionKind::kMma;
  MmaShape shape;
  Layout a_layout = Layout::kRow;     ///< Variable for FP16 m8n8k4 only.
  Layout b_layout = Layout::kColumn;  ///< The same.
  ElementType a = ElementType::kFp16;
  ElementType b = ElementType::kFp16;
  ElementType c = ElementType::kFp32;
  ElementType d = ElementType::kFp32;
  bool shaped = false;  ///< For a machine that PTX does not know: any shape, on any generation.
  bool on_tensor_core = false;  ///< FP16 m8n8k4 as HMMA.884: never emulated in software.
  bool sparse = false;
  bool ordered_metadata = false;  ///< `mma.sp::ordered_metadata`: positions must ascend.
  bool saturate = false;
  BitOperation bit_operation = BitOperation::kXor;
  RoundingMode fp64_rounding = RoundingMode::kNearestEven;

  /// Threads that execute it together: a warp, or a warpgroup for wgmma.
  int lanes() const { return kind == InstructionKind::kWgmma ? 128 : 32; }
  /// FP16 m8n8k4 makes four independent products, one per quad pair; all other instructions make
  /// one.
  int matrices() const { return shape == MmaShape{8, 8, 4} && a == ElementType::kFp16 ? 4 : 1; }

  friend bool operator==(const MmaInstruction&, const MmaInstruction&) = default;
};

/// Shapes of mma.sync or wgmma for an input type, with the generation that introduced them. A wgmma
/// row represents every legal n and has n = 8. Source: PTX manual, numerics reference section 12.
struct ShapeRow {
  MmaShape shape;
  Generation first;
};
std::vector<ShapeRow> shapes_of(InstructionKind kind, ElementType input, bool sparse);

/// True when `n` is a legal width of a wgmma with that input (PTX ISA).
constexpr bool is_wgmma_width(ElementType input, int n) {
  if (n < 8 || n > 256) return false;
  const bool is_float = info(input).element_class == ElementClass::kFloat;
  const int step = is_float || n <= 32 ? 8 : 16;
  return n % step == 0;
}

/// The arithmetic of `instruction` on `core`. Refusals: kUnsupported if its generation lacks it, or
/// if it is emulated there by software that has not been described.
Result<Arithmetic> arithmetic_of(const MmaInstruction& instruction, const TensorArithmetic& core,
                                 const UndecidedBehavior& undecided = {});

/// The newest generation for which arithmetic_of has an answer; if there is none, the refusal for
/// the newest generation.
Result<Generation> newest_generation(const MmaInstruction& instruction);

}  // namespace tcsim::numerics
