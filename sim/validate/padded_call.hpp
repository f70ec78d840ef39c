#pragma once

#include "workloads/kernels/gemm.hpp"

namespace tcsim::validate {

/// The product that a program asks a library for if it pads to multiples of 8 what tensor cores
/// need of `printed`, the one that it prints: m, and k, n or both, by the layouts. Whose program
/// does: tests/validation/SOURCES.md.
kernels::GemmProblem padded_call(const kernels::GemmProblem& printed);

}  // namespace tcsim::validate
