#include "sim/run/prepare/step.hpp"

#include <fmt/format.h>

#include "sim/errors/errors.hpp"

namespace tcsim::run {

const PreparedRun& StepPreparation::prepared(const networks::Step& step) {
  const auto known = prepared_.find(step.work.text);
  if (known != prepared_.end()) return known->second;
  const int boost_mhz = boost_.machine.clocks.sm_mhz;
  const int mhz = machine_.machine.clocks.sm_mhz;
  PreparationOptions how{request_.machines.front(),
                         step.runs_on_cuda_cores ? "cuda-core" : "tensor",
                         /*tile=*/"",
                         {request_.constant_data, /*clock_ratio=*/1},
                         /*unit_is_free=*/false};
  try {
    PreparedRun run = prepare_run(step.work, how, boost_);
    if (mhz != boost_mhz) {
      report::RunInputs at_boost = std::move(run.inputs);
      how.power.clock_ratio = static_cast<double>(mhz) / boost_mhz;
      run = prepare_run(step.work, how, machine_);
      run.inputs.peak_tflops = at_boost.peak_tflops;
      run.inputs.attainable = at_boost.attainable;
    }
    if (run.inputs.power) run.inputs.power->clock_policy = name(request_.clock);
    return prepared_.emplace(step.work.text, std::move(run)).first->second;
  } catch (const NotCovered& error) {
    throw NotCovered(fmt::format("{} ({}): {}", step.layer, step.part, error.what()));
  }
}

}  // namespace tcsim::run
