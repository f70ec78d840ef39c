#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "models/numerics/element_type.hpp"

namespace tcsim::tensor_file {

/// Type of the elements in a tensor file. The order is that of kStoredTypes.
enum class StoredType : std::uint8_t {
  kFp16,
  kBf16,
  kFp32,
  kFp64,
  kE4m3,
  kE5m2,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
};

/// One row of the type table. NumPy has no BF16 and no FP8: such a tensor is stored in a .npy file
/// as an unsigned integer of its width, and FILE.npy.json next to it names the type.
struct StoredTypeInfo {
  StoredType type;
  std::string_view name;  ///< NumPy's word; for BF16 and FP8 that of the ml_dtypes package.
  std::string_view npy;   ///< Descriptor in a .npy header; empty if NumPy has none.
  int bytes;              ///< Per element.
};

inline constexpr std::array<StoredTypeInfo, 13> kStoredTypes = {{
    {StoredType::kFp16, "float16", "<f2", 2},
    {StoredType::kBf16, "bfloat16", "", 2},
    {StoredType::kFp32, "float32", "<f4", 4},
    {StoredType::kFp64, "float64", "<f8", 8},
    {StoredType::kE4m3, "float8_e4m3fn", "", 1},
    {StoredType::kE5m2, "float8_e5m2", "", 1},
    {StoredType::kInt8, "int8", "|i1", 1},
    {StoredType::kUint8, "uint8", "|u1", 1},
    {StoredType::kInt16, "int16", "<i2", 2},
    {StoredType::kUint16, "uint16", "<u2", 2},
    {StoredType::kInt32, "int32", "<i4", 4},
    {StoredType::kUint32, "uint32", "<u4", 4},
    {StoredType::kInt64, "int64", "<i8", 8},
}};

constexpr const StoredTypeInfo& info(StoredType type) {
  return kStoredTypes[static_cast<std::size_t>(type)];
}

/// How a file stores elements of the type: TF32 as FP32 whose 13 low bits are zero. Nothing for
/// types below one byte, which no such file has.
std::optional<StoredType> stored_type_for(numerics::ElementType type);

/// The type in which a .npy file stores `type`: itself, or the unsigned integer of its width.
StoredType npy_storage(StoredType type);

}  // namespace tcsim::tensor_file
