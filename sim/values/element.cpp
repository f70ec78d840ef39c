#include "sim/values/element.hpp"

namespace tcsim::values {

using numerics::ElementType;

ElementType type_of(kernels::Element element) {
  switch (element) {
    case kernels::Element::kFp16:
      return ElementType::kFp16;
    case kernels::Element::kBf16:
      return ElementType::kBf16;
    case kernels::Element::kTf32:
      return ElementType::kTf32;
    case kernels::Element::kFp32:
      return ElementType::kFp32;
    case kernels::Element::kFp64:
      return ElementType::kFp64;
    case kernels::Element::kInt8:
      return ElementType::kInt8;
    case kernels::Element::kInt32:
      return ElementType::kInt32;
    case kernels::Element::kE4m3:
      return ElementType::kE4m3;
    case kernels::Element::kE5m2:
      return ElementType::kE5m2;
  }
  return ElementType::kFp32;
}

}  // namespace tcsim::values
