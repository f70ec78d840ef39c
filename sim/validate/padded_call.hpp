#pragma once

#include "workloads/kernels/gemm.hpp"

namespace tcsim::validate {

/// The product that a program requests from a library if it prints `printed` but pads to multiples
/// of 8 the sides for which tensor cores need that: m, and k, n or both, by the layouts. Programs
/// that do: tests/validation/SOURCES.md.
kernels::GemmProblem padded_call(const kernels::GemmProblem& printed);

}  // namespace tcsim::validate
