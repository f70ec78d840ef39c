#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tcsim::numerics {

/// Type of one matrix element. The order is that of kElementTypes.
enum class ElementType : std::uint8_t {
  kFp16,
  kBf16,
  kTf32,
  kFp32,
  kFp64,
  kE4m3,
  kE5m2,
  kInt8,
  kUint8,
  kInt4,
  kUint4,
  kB1,
  kInt32,
};

enum class ElementClass : std::uint8_t { kFloat, kInteger, kBit };

/// One row of the type table.
struct ElementTypeInfo {
  ElementType type;
  std::string_view name;      ///< Name on the command line.
  std::string_view ptx_name;  ///< Name in a PTX instruction, without the dot.
  int bits;                   ///< Bits that an element takes in a register; TF32 takes all.
  ElementClass element_class;
  bool is_signed;
};

inline constexpr std::array<ElementTypeInfo, 13> kElementTypes = {{
    {ElementType::kFp16, "fp16", "f16", 16, ElementClass::kFloat, true},
    {ElementType::kBf16, "bf16", "bf16", 16, ElementClass::kFloat, true},
    {ElementType::kTf32, "tf32", "tf32", 32, ElementClass::kFloat, true},
    {ElementType::kFp32, "fp32", "f32", 32, ElementClass::kFloat, true},
    {ElementType::kFp64, "fp64", "f64", 64, ElementClass::kFloat, true},
    {ElementType::kE4m3, "e4m3", "e4m3", 8, ElementClass::kFloat, true},
    {ElementType::kE5m2, "e5m2", "e5m2", 8, ElementClass::kFloat, true},
    {ElementType::kInt8, "int8", "s8", 8, ElementClass::kInteger, true},
    {ElementType::kUint8, "uint8", "u8", 8, ElementClass::kInteger, false},
    {ElementType::kInt4, "int4", "s4", 4, ElementClass::kInteger, true},
    {ElementType::kUint4, "uint4", "u4", 4, ElementClass::kInteger, false},
    {ElementType::kB1, "b1", "b1", 1, ElementClass::kBit, false},
    {ElementType::kInt32, "int32", "s32", 32, ElementClass::kInteger, true},
}};

constexpr const ElementTypeInfo& info(ElementType type) {
  return kElementTypes[static_cast<std::size_t>(type)];
}
constexpr std::string_view name(ElementType type) { return info(type).name; }
constexpr int bits(ElementType type) { return info(type).bits; }
constexpr bool is_fp8(ElementType type) {
  return type == ElementType::kE4m3 || type == ElementType::kE5m2;
}
constexpr bool is_integer(ElementType type) {
  return info(type).element_class == ElementClass::kInteger;
}

constexpr std::optional<ElementType> element_type_named(std::string_view word) {
  for (const auto& row : kElementTypes)
    if (row.name == word) return row.type;
  return std::nullopt;
}
constexpr std::optional<ElementType> element_type_with_ptx_name(std::string_view word) {
  for (const auto& row : kElementTypes)
    if (row.ptx_name == word) return row.type;
  return std::nullopt;
}

}  // namespace tcsim::numerics
