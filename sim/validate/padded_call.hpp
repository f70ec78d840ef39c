#pragma once

#include "workloads/kernels/gemm.hpp"

namespace tcsim::validate {

/// The product that a program asks a library for if it pads to multiples of 8 what tensor cores
/// need of `printed`, the one that it prints: m, and k, n or both, by the layouts
/// (code/nvidia/gemm_bench.cu of github.com/baidu-research/DeepBench, 60bea70).
kernels::GemmProblem padded_call(const kernels::GemmProblem& printed);

}  // namespace tcsim::validate
