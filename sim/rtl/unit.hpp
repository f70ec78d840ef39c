#pragma once

#include <span>
#include <string>
#include <string_view>

#include "models/numerics/arithmetic.hpp"

namespace tcsim::rtl {

/// What a unit multiplies and accumulates in one pass.
struct Operation {
  numerics::ElementType input = numerics::ElementType::kFp16;
  numerics::ElementType accumulator = numerics::ElementType::kFp32;
  numerics::ElementType b = input;  ///< differs only if both are FP8 formats

  bool mixed() const { return b != input; }
  friend bool operator==(const Operation&, const Operation&) = default;
};

/// For example "fp16 into fp32", "e4m3 x e5m2 into fp32".
std::string to_string(const Operation& operation);

/// A matrix unit of rtl/ and the GPU it belongs to.
struct UnitInfo {
  std::string_view name;  ///< Name on the command line: rows x columns x FP16 products.
  int rows;
  int columns;
  int row_bits;  ///< One row of A, or column of B.
  numerics::Generation generation;
  std::string_view machine;  ///< Machine file whose rates and latencies it must meet.
  std::span<const Operation> operations;
  // Deviations from a GPU's array, in the order of `operations`; empty if there are none.
  std::span<const int> pass_products{};                 ///< otherwise as many as fill a row
  std::span<const numerics::Arithmetic> arithmetics{};  ///< otherwise those of the generation
  int block_slots = 0;         ///< multipliers of a block; 0: those of 16 bits that fill a row
  int blocks = 1;              ///< of a pass, one after another
  int grid_fraction_bits = 0;  ///< of the datapath; 0: those of the arithmetic
  numerics::InstructionKind kind = numerics::InstructionKind::kMma;  ///< the instruction family
                                                                     ///< whose arithmetic it has

  int elements() const { return rows * columns; }
  /// Multiply-adds in one element of D. Requires one of its operations.
  int products(const Operation& operation) const;
  int slots() const { return block_slots == 0 ? row_bits / 16 : block_slots; }
  int index_of(const Operation& operation) const;
};

inline constexpr Operation kFp16IntoFp16{numerics::ElementType::kFp16,
                                         numerics::ElementType::kFp16};
inline constexpr Operation kFp16IntoFp32{numerics::ElementType::kFp16,
                                         numerics::ElementType::kFp32};
inline constexpr Operation kVoltaOperations[] = {kFp16IntoFp16, kFp16IntoFp32};
inline constexpr Operation kAmpereOperations[] = {
    kFp16IntoFp16,
    kFp16IntoFp32,
    {numerics::ElementType::kBf16, numerics::ElementType::kFp32},
    {numerics::ElementType::kTf32, numerics::ElementType::kFp32},
    {numerics::ElementType::kInt8, numerics::ElementType::kInt32},
};

inline constexpr Operation kHopperOperations[] = {
    kFp16IntoFp16,
    kFp16IntoFp32,
    {numerics::ElementType::kBf16, numerics::ElementType::kFp32},
    {numerics::ElementType::kTf32, numerics::ElementType::kFp32},
    {numerics::ElementType::kE4m3, numerics::ElementType::kFp16},
    {numerics::ElementType::kE4m3, numerics::ElementType::kFp32},
    {numerics::ElementType::kE5m2, numerics::ElementType::kFp16},
    {numerics::ElementType::kE5m2, numerics::ElementType::kFp32},
    {numerics::ElementType::kE4m3, numerics::ElementType::kFp32, numerics::ElementType::kE5m2},
    {numerics::ElementType::kE5m2, numerics::ElementType::kFp32, numerics::ElementType::kE4m3},
    {numerics::ElementType::kInt8, numerics::ElementType::kInt32},
};

inline constexpr UnitInfo kUnit4x4x4{
    "4x4x4", 4, 4, 64, numerics::Generation::kVolta, "v100", kVoltaOperations};
inline constexpr UnitInfo kUnit8x4x8{
    "8x4x8", 8, 4, 128, numerics::Generation::kAmpere, "a100", kAmpereOperations};
inline constexpr UnitInfo kUnit8x4x16{.name = "8x4x16",
                                      .rows = 8,
                                      .columns = 4,
                                      .row_bits = 256,
                                      .generation = numerics::Generation::kHopper,
                                      .machine = "h100",
                                      .operations = kHopperOperations,
                                      .block_slots = 32,
                                      .grid_fraction_bits = 25,
                                      .kind = numerics::InstructionKind::kWgmma};

/// Code of `type` on port format_i: mma_pkg::format_e.
int format_code(numerics::ElementType type);

/// Blocks of products that a pass of `operation` needs.
int blocks_of(const UnitInfo& unit, const Operation& operation);

/// The arithmetic that `unit` must implement for `operation`. Requires one of its operations.
numerics::Arithmetic arithmetic_of(const UnitInfo& unit, const Operation& operation);

}  // namespace tcsim::rtl
