#include "sim/run/prepare/step.hpp"

#include <fmt/format.h>

#include "sim/errors/errors.hpp"
#include "sim/run/request_fields.hpp"

namespace tcsim::run {

const PreparedRun& StepPreparation::prepared(const networks::Step& step) {
  const auto known = prepared_.find(step.work.text);
  if (known != prepared_.end()) return known->second;
  const PreparationOptions how{request_.machines.front(),
                               step.runs_on_cuda_cores ? "cuda-core" : "tensor",
                               /*tile=*/"", request_.constant_data,
                               /*unit_is_free=*/false};
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
