#include "sim/run/prepare/unit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/isa/opcode.hpp"
#include "models/sm/tensor_types.hpp"
#include "sim/config/target.hpp"
#include "sim/errors/errors.hpp"
#include "sim/run/prepare/power.hpp"
#include "sim/run/request_fields.hpp"
#include "workloads/import/operator_fields.hpp"

namespace tcsim::run {
namespace {

using kernels::Element;

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

/// The name of `input` among the peaks of a machine, which has one for both formats of FP8.
std::string peak_word(Element input) {
  return kernels::is_fp8(input) ? "fp8" : std::string(workload::element_name(input));
}

/// " Use --unit cuda-core, or a machine that lists int8.", as far as either would do; or that
/// neither can.
std::string ways_out(kernels::Unit unit, Element input, const config::Machine& machine, bool sparse,
                     const PreparationOptions& options) {
  if (input == Element::kInt32) return " It is a type of sums.";
  const bool tensor = unit == kernels::Unit::kTensor;
  const std::string other = tensor ? "cuda-core" : "tensor";
  const std::string dtype = peak_word(input);
  std::vector<std::string> ways;
  if (!options.way_out.empty()) ways.push_back(options.way_out);
  if (options.unit_is_free &&
      config::peak_rate(machine, other, tensor && is_widened(input) ? "fp32" : dtype, sparse))
    ways.push_back(word_of("unit") + " " + other);
  const std::vector<config::PeakRate> rates = config::peak(machine).rates;
  if (std::ranges::any_of(rates, [&](const config::PeakRate& rate) {
        return rate.unit == unit_name(unit) && rate.dtype == dtype && rate.sparse == sparse;
      }))
    ways.push_back("a machine that lists " + dtype);
  return ways.empty() ? "" : fmt::format(" Use {}.", fmt::join(ways, ", or "));
}

/// Kernels run at the SM clock, whatever clock the published peak is stated at.
config::PeakRate at_sm_clock(config::PeakRate rate, const config::Machine& machine) {
  rate.tera_ops_per_s = *rate.tera_ops_per_s * machine.clocks.sm_mhz / rate.clock_mhz;
  rate.clock_mhz = machine.clocks.sm_mhz;
  return rate;
}

/// True if `machine` multiplies `dtype` on tensor cores: by MMAs of a warp, or of a warpgroup.
bool has_mma(const config::Machine& machine, const std::string& dtype, bool sparse) {
  const auto is_its = [&](const sm::TensorInstructionParams& row) {
    return sm::tensor_type(row.opcode)->name == dtype &&
           isa::opcode_info(row.opcode).sparse == sparse;
  };
  return std::ranges::any_of(machine.sm.tensor.instructions, is_its) ||
         (dtype == "fp8" && !sparse && config::features_of(machine).warpgroups);
}

}  // namespace

std::string unit_name(kernels::Unit unit) {
  return unit == kernels::Unit::kTensor ? "tensor" : "cuda-core";
}

bool is_widened(Element input) {
  return input == Element::kFp16 || input == Element::kBf16 || input == Element::kTf32;
}

std::string widened_words(Element input) {
  return fmt::format("the CUDA-core kernel computes {} operands as fp32 (FFMA)",
                     workload::element_name(input));
}

std::string unit_for(const PreparationOptions& options, const Formats& formats,
                     const config::Machine& machine, bool sparse) {
  if (!options.unit.empty()) return options.unit;
  const std::string dtype = peak_word(formats.input);
  const auto tensor = config::peak_rate(machine, "tensor", dtype, sparse,
                                        workload::element_name(formats.accumulate));
  if (tensor && has_mma(machine, dtype, sparse)) return "tensor";
  const auto lanes =
      config::peak_rate(machine, "cuda-core", is_widened(formats.input) ? "fp32" : dtype, sparse);
  return lanes ? "cuda-core" : "tensor";
}

std::string unit_words(const PreparationOptions& options, const std::string& unit,
                       const Formats& formats, const config::Machine& machine) {
  if (!options.unit.empty() || unit == "tensor") return "";
  return fmt::format(
      "{} has no tensor-core instruction for {} (formats: {}), so CUDA cores multiply as with {} "
      "cuda-core",
      options.machine, workload::element_name(formats.input), supported_formats(machine, "tensor"),
      word_of("unit"));
}

std::vector<std::string> notes_of(std::vector<std::string> words) {
  std::erase(words, "");
  return words;
}

void refuse_tile(const PreparationOptions& options, const std::string& title) {
  if (!options.tile.empty())
    throw mistake_in("tile",
                     title + " has no tile to choose; only products and convolutions have one");
}

std::string output_words(const Formats& formats, kernels::Element output) {
  if (output == workload::default_output(formats.input, formats.accumulate)) return "";
  return fmt::format(" out {}", workload::element_name(output));
}

config::PeakRate peak_of(kernels::Unit unit, const Formats& formats,
                         const PreparationOptions& options, const config::Machine& machine,
                         bool sparse) {
  const Element input = formats.input;
  const std::string dtype = peak_word(input);
  const auto rate = config::peak_rate(machine, options.unit, dtype, sparse,
                                      workload::element_name(formats.accumulate));
  if (rate) return at_sm_clock(*rate, machine);
  if (sparse && config::peak_rate(machine, options.unit, dtype))
    throw NotCovered(fmt::format("{}: {} has no 2:4 sparse form on this machine's {}",
                                 options.machine, dtype,
                                 unit == kernels::Unit::kTensor ? "tensor cores" : "CUDA cores"));
  throw NotCovered(fmt::format(
      "{}: {} has no {} path on this machine (formats: {}).{}", options.machine, dtype,
      unit == kernels::Unit::kTensor ? "tensor-core" : "CUDA-core",
      supported_formats(machine, options.unit), ways_out(unit, input, machine, sparse, options)));
}

void set_peak(PreparedRun& run, const config::PeakRate& peak, Element input,
              const PreparationOptions& options, const config::Machine& machine) {
  run.inputs.unit = peak.unit;
  run.inputs.peak_tflops = peak.tera_ops_per_s;
  run.inputs.dtype = peak.dtype;
  std::string dtype = peak.dtype;
  if (peak.unit == "tensor" && std::ranges::none_of(run.launches, uses_tensor_cores)) {
    if (is_widened(input)) dtype = "fp32";
    const auto rate = config::peak_rate(machine, "cuda-core", dtype);
    run.inputs.unit = "cuda-core";
    run.inputs.peak_tflops = rate ? rate->tera_ops_per_s : std::nullopt;
    if (options.unit == "tensor")
      run.inputs.notes.push_back(
          fmt::format("these kernels multiply on CUDA cores, whatever {} says", word_of("unit")));
  }
  run.inputs.power = power_inputs(machine, dtype, options.constant_data);
}

}  // namespace tcsim::run
