#include "sim/tensor_file/stored_type.hpp"

namespace tcsim::tensor_file {

std::optional<StoredType> stored_type_for(numerics::ElementType type) {
  using numerics::ElementType;
  switch (type) {
    case ElementType::kFp16:
      return StoredType::kFp16;
    case ElementType::kBf16:
      return StoredType::kBf16;
    case ElementType::kTf32:
    case ElementType::kFp32:
      return StoredType::kFp32;
    case ElementType::kFp64:
      return StoredType::kFp64;
    case ElementType::kE4m3:
      return StoredType::kE4m3;
    case ElementType::kE5m2:
      return StoredType::kE5m2;
    case ElementType::kInt8:
      return StoredType::kInt8;
    case ElementType::kUint8:
      return StoredType::kUint8;
    case ElementType::kInt32:
      return StoredType::kInt32;
    case ElementType::kInt4:
    case ElementType::kUint4:
    case ElementType::kB1:
      break;
  }
  return std::nullopt;
}

StoredType npy_storage(StoredType type) {
  if (!info(type).npy.empty()) return type;
  return info(type).bytes == 2 ? StoredType::kUint16 : StoredType::kUint8;
}

}  // namespace tcsim::tensor_file
