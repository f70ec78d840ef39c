#include "sim/run/prepare/step.hpp"

#include <fmt/format.h>

#include "sim/config/peak.hpp"
#include "sim/config/target.hpp"
#include "sim/errors/errors.hpp"
#include "sim/run/request_fields.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::run {
namespace {

/// True if `machine` multiplies FP16 by packed weights.
bool has_kernels_of_weights(const config::Machine& machine) {
  kernels::GemmProblem product{.m = 128, .n = 128, .k = 128};
  product.weights.bits = 4;
  return kernels::why_no_kernel(product, config::make_target(machine, product)).empty();
}

/// The precision in which `machine` runs networks of any other: FP16 on tensor cores, or else FP32,
/// which packed weights and pages of keys and values do not have. Nothing helps packed weights on
/// tensor cores that have no kernel for them.
std::string other_precision(const RunRequest& request, const config::Machine& machine) {
  const bool packs_weights = request.weights != networks::WeightIntegers::kNone;
  if (packs_weights && !has_kernels_of_weights(machine)) return "";
  if (config::peak_rate(machine, "tensor", "fp16")) return word_of("precision") + " fp16";
  return packs_weights || request.paged_cache ? "" : word_of("precision") + " fp32";
}

/// True if `work` is a product with packed weights that has a kernel with others.
bool only_packing_fails(const workload::Workload& work, const PreparationOptions& how,
                        const config::MachineFile& machine) {
  workload::Workload unpacked = work;
  auto* const product = std::get_if<kernels::GemmProblem>(&unpacked.work);
  if (product == nullptr || !product->weights.are_packed()) return false;
  product->weights = {};
  try {
    (void)prepare_run(unpacked, how, machine);
    return true;
  } catch (const NotCovered&) {
    return false;
  }
}

/// "--precision int8": the option of `request` that keeps `work` from a kernel.
std::string refused_option(const RunRequest& request, const workload::Workload& work,
                           const PreparationOptions& how, const config::MachineFile& machine) {
  const auto option = [](std::string_view field, const auto& words, auto value) {
    return fmt::format("{} {}", word_of(field), words[static_cast<std::size_t>(value)]);
  };
  if (only_packing_fails(work, how, machine))
    return option("weights", networks::weight_integer_words(), request.weights);
  return option("precision", networks::precision_words(), request.precision);
}

}  // namespace

const PreparedRun& StepPreparation::prepared(const networks::Step& step) {
  const auto known = prepared_.find(step.work.text);
  if (known != prepared_.end()) return known->second;
  const PreparationOptions how{request_.machines.front(),
                               step.runs_on_cuda_cores ? "cuda-core" : "tensor",
                               /*tile=*/"",
                               request_.constant_data,
                               /*unit_is_free=*/false,
                               other_precision(request_, machine_.machine)};
  try {
    PreparedRun run = prepare_run(step.work, how, machine_);
    if (run.inputs.power) run.inputs.power->clock_policy = name(request_.clock);
    return prepared_.emplace(step.work.text, std::move(run)).first->second;
  } catch (const NotCovered& error) {
    throw NotCovered(fmt::format("{}: {}: {} ({}): {}", request_.workload,
                                 refused_option(request_, step.work, how, machine_), step.layer,
                                 step.part, error.what()));
  }
}

}  // namespace tcsim::run
