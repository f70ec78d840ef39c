#pragma once

#include "models/numerics/element_type.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// The number format of a kernel's element.
numerics::ElementType type_of(kernels::Element element);

}  // namespace tcsim::values
