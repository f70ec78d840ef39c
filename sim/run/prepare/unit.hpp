#pragma once

#include <string>

#include "sim/config/peak.hpp"
#include "sim/run/prepare/prepare.hpp"

namespace tcsim::run {

/// "tensor", "cuda-core".
std::string unit_name(kernels::Unit unit);

/// Sets the unit of a problem with `input`, `accumulate`, `output` and `unit` as --unit asks. CUDA
/// cores compute some formats as FP32; returns what to tell the user of that, or nothing.
template <typename Problem>
std::string take_unit(const std::string& asked, Problem& problem);

/// What a problem multiplies and in what it adds.
struct Formats {
  kernels::Element input;
  kernels::Element accumulate;
};

/// The peak rate of `unit` for `formats`, one operand 2:4 sparse if `sparse`. Throws NotCovered
/// where the machine has none.
config::PeakRate peak_of(kernels::Unit unit, const Formats& formats,
                         const PreparationOptions& options, const config::Machine& machine,
                         bool sparse = false);

/// FFMA multiplies FP32 only: these operands take its path as FP32.
bool is_widened(kernels::Element input);

template <typename Problem>
std::string take_unit(const std::string& asked, Problem& problem) {
  using kernels::Element;
  problem.unit = asked == "tensor" ? kernels::Unit::kTensor : kernels::Unit::kCudaCore;
  const Element input = problem.input;
  if (problem.unit == kernels::Unit::kTensor || !is_widened(input)) return "";
  if (input == Element::kFp16 && problem.accumulate == Element::kFp16) return "";  // HFMA2
  problem.input = problem.accumulate = problem.output = Element::kFp32;
  return "note: the CUDA-core kernel computes " + std::string(workload::element_name(input)) +
         " operands as fp32 (FFMA)";
}

}  // namespace tcsim::run
