#include "sim/run/critical_path.hpp"

#include <algorithm>
#include <set>

#include "models/isa/launch.hpp"
#include "sim/errors/errors.hpp"
#include "sim/run/simulate.hpp"
#include "sim/timeline/path_recorder.hpp"

namespace tcsim::run {

std::vector<timeline::KernelPath> critical_paths(const RunRequest& request, const PreparedRun& run,
                                                 const config::Machine& machine,
                                                 const gpu::Outcome& outcome, const Hooks& hooks) {
  std::set<int> sms;
  std::vector<timeline::KernelEnd> ends;
  for (const gpu::KernelSpan& span : outcome.kernels) {
    ends.push_back({span.start, span.end, span.last_sm});
    sms.insert(span.last_sm);
  }
  if (std::ranges::any_of(run.launches, isa::uses_clusters))
    for (int sm = 0; sm < machine.gpu.sms; ++sm) sms.insert(sm);
  timeline::PathRecorder recorder(std::move(sms));
  gpu::SimulationOptions settings = simulation_options(request, run, machine);
  settings.observer = [&recorder](int sm, Cycle origin) { return recorder.observer(sm, origin); };
  settings.memory_observer = &recorder.reads();
  gpu::Simulation simulation(machine, settings);
  const auto keep_going = [&hooks](const gpu::Progress& /*progress*/) {
    return hooks.stop_cause() == StopCause::kNone;
  };
  const gpu::Outcome again =
      simulation.run(run.launches, keep_going, launches_before(request, run));
  if (again.stop != gpu::StopReason::kFinished) return {};
  if (again.cycles != outcome.cycles)
    throw InternalError("the same run took " + std::to_string(outcome.cycles) + " and " +
                        std::to_string(again.cycles) + " cycles");
  return recorder.take(ends);
}

}  // namespace tcsim::run
