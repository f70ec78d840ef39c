#pragma once

#include <string_view>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::validate {

/// True for rows of DeepBench's GEMM program, whose calls differ from the shapes that it prints.
bool is_of_deepbench(std::string_view source_id);

/// The product that DeepBench's gemm_bench asks cuBLAS for where it prints FP16 `printed`. It pads
/// to multiples of 8 what tensor cores need (m, and k, n or both, by the layouts), and passes a
/// beta other than zero, so that C is read (github.com/baidu-research/DeepBench, 60bea70).
kernels::GemmProblem deepbench_call(const kernels::GemmProblem& printed);

}  // namespace tcsim::validate
