#include "sim/cli/gemm_preparation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/cli/exit_status.hpp"
#include "sim/config/peak.hpp"
#include "sim/config/target.hpp"

namespace tcsim::cli {
namespace {

using kernels::Element;
using workload::element_name;

std::string unit_name(kernels::Unit unit) {
  return unit == kernels::Unit::kTensor ? "tensor" : "cuda-core";
}

/// FFMA multiplies FP32 only: these operands take its path as FP32.
bool is_widened(Element input) {
  return input == Element::kFp16 || input == Element::kBf16 || input == Element::kTf32;
}

/// The formats that `unit` of `machine` has, for a message.
std::string supported_formats(const config::Machine& machine, const std::string& unit) {
  std::vector<std::string> formats;
  for (const config::PeakRate& rate : config::peak(machine).rates) {
    const bool known = std::find(formats.begin(), formats.end(), rate.dtype) != formats.end();
    if (rate.unit == unit && !rate.sparse && rate.tera_ops_per_s && !known)
      formats.push_back(rate.dtype);
  }
  return formats.empty() ? "none" : fmt::format("{}", fmt::join(formats, ", "));
}

config::PeakRate peak_of(const kernels::GemmProblem& problem, const PreparationOptions& options,
                         const config::Machine& machine) {
  const std::string dtype(element_name(problem.input));
  const auto rate = config::peak_rate(machine, options.unit, dtype);
  if (rate && rate->tera_ops_per_s) return *rate;
  const bool tensor = problem.unit == kernels::Unit::kTensor;
  const std::string other_unit = tensor && is_widened(problem.input) ? "--unit cuda-core, or " : "";
  throw NotCovered(fmt::format(
      "{}: {} has no {} path on this machine (formats: {}). Use {}a machine that lists {}.",
      options.machine, dtype, tensor ? "tensor-core" : "CUDA-core",
      supported_formats(machine, options.unit), other_unit, dtype));
}

kernels::GemmTile tile_of(const kernels::GemmProblem& problem, const PreparationOptions& options,
                          const kernels::Target& target) {
  std::string reason;
  const bool has_menu = !kernels::gemm_tiles(problem, target).empty();
  if (has_menu && options.tile.empty()) return kernels::choose_tile(problem, target);
  // Without a menu the smallest tile tells why there is none.
  const auto tile = kernels::parse_tile(has_menu ? options.tile : "64x64", problem, target, reason);
  if (!has_menu)
    throw NotCovered(fmt::format("{}: {}: {}", options.machine, gemm_title(problem), reason));
  if (!tile) throw UsageError("tcsim run: --tile: " + reason);
  return *tile;
}

/// Returns what to tell the user, or nothing if the operands stay as they are.
std::string widen_for_cuda_cores(kernels::GemmProblem& problem) {
  const Element asked = problem.input;
  if (!is_widened(asked)) return "";
  problem.input = Element::kFp32;
  problem.accumulate = Element::kFp32;
  problem.output = Element::kFp32;
  return fmt::format("note: the CUDA-core kernel computes {} operands as fp32 (FFMA)",
                     element_name(asked));
}

}  // namespace

std::string gemm_title(const kernels::GemmProblem& problem) {
  const auto letter = [](kernels::Layout layout) {
    return layout == kernels::Layout::kNormal ? 'N' : 'T';
  };
  return fmt::format("gemm {}x{}x{}{} {}->{} {}{}", problem.m, problem.n, problem.k,
                     problem.batch > 1 ? fmt::format(" x{}", problem.batch) : "",
                     element_name(problem.input), element_name(problem.accumulate),
                     letter(problem.layout_a), letter(problem.layout_b));
}

PreparedRun prepare_gemm(kernels::GemmProblem problem, const PreparationOptions& options,
                         const config::Machine& machine) {
  PreparedRun run;
  problem.unit = options.unit == "tensor" ? kernels::Unit::kTensor : kernels::Unit::kCudaCore;
  if (problem.unit == kernels::Unit::kCudaCore) run.note = widen_for_cuda_cores(problem);
  const config::PeakRate peak = peak_of(problem, options, machine);
  const kernels::Target target = config::make_target(machine, problem);
  const kernels::GemmTile tile = tile_of(problem, options, target);
  run.launches = kernels::make_gemm_stream(problem, tile, target);
  run.gemm = PreparedGemm{problem, tile};
  constexpr double kOperationsPerMac = 2.0;
  run.inputs.title = gemm_title(problem);
  run.inputs.unit = unit_name(problem.unit);
  run.inputs.kernel_tiles.assign(run.launches.size(), "");
  run.inputs.kernel_tiles.front() = tile.text();
  run.inputs.flop = kOperationsPerMac * static_cast<double>(problem.m) *
                    static_cast<double>(problem.n) * static_cast<double>(problem.k) *
                    static_cast<double>(problem.batch);
  run.inputs.peak_tflops = peak.tera_ops_per_s;
  run.inputs.power = power_inputs(machine, peak, options.power);
  return run;
}

}  // namespace tcsim::cli
