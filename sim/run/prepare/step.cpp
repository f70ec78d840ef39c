#include "sim/run/prepare/step.hpp"

#include <fmt/format.h>

#include "sim/config/peak.hpp"
#include "sim/errors/errors.hpp"
#include "sim/run/request_fields.hpp"

namespace tcsim::run {
namespace {

/// The precision in which `machine` runs networks of any other: FP16 on tensor cores, or else FP32,
/// which packed weights and pages of keys and values do not have.
std::string other_precision(const RunRequest& request, const config::Machine& machine) {
  if (config::peak_rate(machine, "tensor", "fp16")) return word_of("precision") + " fp16";
  const bool needs_16_bits =
      request.weights != networks::WeightIntegers::kNone || request.paged_cache;
  return needs_16_bits ? "" : word_of("precision") + " fp32";
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
    const auto precision = static_cast<std::size_t>(request_.precision);
    throw NotCovered(fmt::format("{}: {} {}: {} ({}): {}", request_.workload, word_of("precision"),
                                 networks::precision_words()[precision], step.layer, step.part,
                                 error.what()));
  }
}

}  // namespace tcsim::run
