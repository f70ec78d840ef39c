#pragma once

#include <optional>
#include <string_view>

#include "models/numerics/element_type.hpp"
#include "models/numerics/generation.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// The number format behind a kernel's element.
numerics::ElementType type_of(kernels::Element element);

/// The tensor-core arithmetic of a machine file's `architecture`. Pascal has no tensor core, and
/// CUDA cores compute alike everywhere, so it takes Volta's. Nothing for an unknown word.
std::optional<numerics::Generation> generation_of(std::string_view architecture);

}  // namespace tcsim::values
