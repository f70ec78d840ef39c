#include "sim/cli/gemm_preparation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/isa/assemble.hpp"
#include "models/sm/params.hpp"
#include "sim/cli/exit_status.hpp"
#include "sim/config/peak.hpp"
#include "sim/config/target.hpp"
#include "sim/stats/internal_error.hpp"

namespace tcsim::cli {
namespace {

using kernels::Element;

std::string unit_name(kernels::Unit unit) {
  return unit == kernels::Unit::kTensor ? "tensor" : "cuda-core";
}

/// Dense formats that `unit` of `machine` has, for a message.
std::string supported_formats(const config::Machine& machine, const std::string& unit) {
  std::vector<std::string> formats;
  for (const config::PeakRate& rate : config::peak(machine).rates) {
    const bool known = std::find(formats.begin(), formats.end(), rate.dtype) != formats.end();
    if (rate.unit == unit && !rate.sparse && rate.tera_ops_per_s && !known)
      formats.push_back(rate.dtype);
  }
  return formats.empty() ? "none" : fmt::format("{}", fmt::join(formats, ", "));
}

config::PeakRate peak_of(const kernels::GemmProblem& problem, const config::Machine& machine) {
  const std::string unit = unit_name(problem.unit);
  const std::string dtype(element_name(problem.input));
  if (const auto rate = config::peak_rate(machine, unit, dtype); rate && rate->tera_ops_per_s)
    return *rate;
  const bool tensor = problem.unit == kernels::Unit::kTensor;
  throw NotCovered(fmt::format(
      "{}: {} has no {} path on this machine (formats: {}). Use {}a machine that lists {}.",
      machine.name, dtype, tensor ? "tensor-core" : "CUDA-core", supported_formats(machine, unit),
      tensor ? "--unit cuda-core, or " : "", dtype));
}

kernels::GemmTile tile_of(const kernels::GemmProblem& problem, const std::string& text,
                          const kernels::Target& target, const std::string& machine) {
  std::string reason;
  if (!text.empty()) {
    const auto tile = kernels::parse_tile(text, problem, target, reason);
    if (!tile) throw UsageError(fmt::format("tcsim run: --tile: '{}': {}", text, reason));
    return *tile;
  }
  if (kernels::gemm_tiles(problem, target).empty()) {
    throw NotCovered(fmt::format("{}: no kernel for {} on {} units of this machine", machine,
                                 gemm_title(problem), unit_name(problem.unit)));
  }
  return kernels::choose_tile(problem, target);
}

void check(const isa::KernelLaunch& launch) {
  const std::vector<std::string> errors = isa::validate(launch);
  if (!errors.empty())
    throw InternalError(
        fmt::format("generated kernel {}: {}", launch.name, fmt::join(errors, "; ")));
}

}  // namespace

std::string_view element_name(Element element) {
  switch (element) {
    case Element::kFp16:
      return "fp16";
    case Element::kBf16:
      return "bf16";
    case Element::kTf32:
      return "tf32";
    case Element::kFp32:
      return "fp32";
    case Element::kFp64:
      return "fp64";
    case Element::kInt8:
      return "int8";
    case Element::kInt32:
      return "int32";
  }
  throw InternalError("unknown element type");
}

std::string gemm_title(const kernels::GemmProblem& problem) {
  const auto letter = [](kernels::Layout layout) {
    return layout == kernels::Layout::kNormal ? 'N' : 'T';
  };
  return fmt::format("{}x{}x{}{} {}->{} {}{}", problem.m, problem.n, problem.k,
                     problem.batch > 1 ? fmt::format(" x{}", problem.batch) : "",
                     element_name(problem.input), element_name(problem.accumulate),
                     letter(problem.layout_a), letter(problem.layout_b));
}

PreparedRun prepare_gemm(const kernels::GemmProblem& problem, const std::string& tile,
                         const config::MachineFile& machine) {
  const config::Machine& params = machine.machine;
  const config::PeakRate peak = peak_of(problem, params);
  const kernels::Target target = config::make_target(params, problem);
  const kernels::GemmTile chosen = tile_of(problem, tile, target, params.name);
  PreparedRun run;
  run.launches = {kernels::make_gemm(problem, chosen, target)};
  for (isa::WarpProgram& program : run.launches.front().programs)
    isa::assemble(program, sm::timing_table(params.sm));
  check(run.launches.front());
  constexpr double kOperationsPerMac = 2.0;
  run.inputs.title = "gemm " + gemm_title(problem);
  run.inputs.unit = unit_name(problem.unit);
  run.inputs.kernel_tiles = {chosen.text()};
  run.inputs.flop = kOperationsPerMac * static_cast<double>(problem.m) *
                    static_cast<double>(problem.n) * static_cast<double>(problem.k) *
                    static_cast<double>(problem.batch);
  run.inputs.peak_tflops = peak.tera_ops_per_s;
  return run;
}

}  // namespace tcsim::cli
