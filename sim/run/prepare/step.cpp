#include "sim/run/prepare/step.hpp"

#include <fmt/format.h>

#include "sim/errors/errors.hpp"

namespace tcsim::run {

const PreparedRun& StepPreparation::prepared(const networks::Step& step) {
  const auto known = prepared_.find(step.work.text);
  if (known != prepared_.end()) return known->second;
  const PreparationOptions how{request_.machines.front(),
                               step.runs_on_cuda_cores ? "cuda-core" : "tensor",
                               /*tile=*/"",
                               {request_.constant_data, /*clock_ratio=*/1},
                               /*unit_is_free=*/false};
  try {
    return prepared_.emplace(step.work.text, prepare_run(step.work, how, machine_)).first->second;
  } catch (const NotCovered& error) {
    throw NotCovered(fmt::format("{} ({}): {}", step.layer, step.part, error.what()));
  }
}

}  // namespace tcsim::run
