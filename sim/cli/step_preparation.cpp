#include "sim/cli/step_preparation.hpp"

#include <fmt/format.h>

#include "sim/cli/exit_status.hpp"

namespace tcsim::cli {

const PreparedRun& StepPreparation::prepared(const networks::Step& step) {
  const auto known = prepared_.find(step.work.text);
  if (known != prepared_.end()) return known->second;
  const PreparationOptions how{options_.machines.front(),
                               step.runs_on_cuda_cores ? "cuda-core" : options_.unit,
                               /*tile=*/"",
                               {options_.constant_data, /*clock_ratio=*/1},
                               /*unit_is_free=*/false};
  try {
    return prepared_.emplace(step.work.text, prepare_run(step.work, how, machine_)).first->second;
  } catch (const NotCovered& error) {
    throw NotCovered(fmt::format("{} ({}): {}", step.layer, step.part, error.what()));
  }
}

}  // namespace tcsim::cli
