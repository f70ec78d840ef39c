#pragma once

#include <string>
#include <vector>

#include "sim/config/peak.hpp"
#include "sim/run/prepare/prepare.hpp"

namespace tcsim::run {

/// "tensor", "cuda-core".
std::string unit_name(kernels::Unit unit);

/// What a problem multiplies and in what it adds.
struct Formats {
  kernels::Element input;
  kernels::Element accumulate;
};

/// A problem as a run takes it.
template <typename Problem>
struct Settled {
  Problem problem;             ///< on its unit, in the formats that this computes
  PreparationOptions options;  ///< as asked, with that unit
  config::PeakRate peak;       ///< of that unit for these formats, at the SM clock
  kernels::Target target;
  std::vector<std::string> notes;  ///< what the user should know; usually none
};

/// The unit that `options` ask for, or else tensor cores, or CUDA cores for formats that only those
/// of the machine multiply.
std::string unit_for(const PreparationOptions& options, const Formats& formats,
                     const config::Machine& machine, bool sparse = false);

/// The words that tell a user who named no unit that `unit` takes the formats; none for tensor
/// cores.
std::string unit_words(const PreparationOptions& options, const std::string& unit,
                       const Formats& formats, const config::Machine& machine);

/// Those of `words` that are not empty.
std::vector<std::string> notes_of(std::vector<std::string> words);

/// Sets the unit of a problem with `input`, `accumulate`, `output` and `unit` as --unit asks. CUDA
/// cores compute some formats as FP32; returns the words that tell the user, or none.
template <typename Problem>
std::string take_unit(const std::string& asked, Problem& problem);

/// Throws UsageError if `options` ask for a tile, of which `title` has no choice.
void refuse_tile(const PreparationOptions& options, const std::string& title);

/// " out bf16"; empty for the type that results of `formats` have where none is asked for.
std::string output_words(const Formats& formats, kernels::Element output);

/// The peak rate of `unit` for `formats`, one operand 2:4 sparse if `sparse`. Throws NotCovered
/// where the machine has none.
config::PeakRate peak_of(kernels::Unit unit, const Formats& formats,
                         const PreparationOptions& options, const config::Machine& machine,
                         bool sparse = false);

/// Fills in unit, peak and power of `run`, whose kernels multiply `input`. Kernels that have no MMA
/// for any requested unit (GEMV, depthwise, FFT) count as those of CUDA cores, where FFMA takes
/// widened operands; a note tells whoever asked for tensor cores.
void set_peak(PreparedRun& run, const config::PeakRate& peak, kernels::Element input,
              const PreparationOptions& options, const config::Machine& machine);

/// FFMA multiplies FP32 only: these operands take its path as FP32.
bool is_widened(kernels::Element input);

/// What tells a user that they do.
std::string widened_words(kernels::Element input);

template <typename Problem>
std::string take_unit(const std::string& asked, Problem& problem) {
  using kernels::Element;
  problem.unit = asked == "tensor" ? kernels::Unit::kTensor : kernels::Unit::kCudaCore;
  const Element input = problem.input;
  if (problem.unit == kernels::Unit::kTensor || !is_widened(input)) return "";
  if (input == Element::kFp16 && problem.accumulate == Element::kFp16) return "";  // HFMA2
  problem.input = problem.accumulate = problem.output = Element::kFp32;
  return widened_words(input);
}

}  // namespace tcsim::run
