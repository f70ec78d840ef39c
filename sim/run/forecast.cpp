#include "sim/run/forecast.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "sim/errors/errors.hpp"
#include "sim/library/load.hpp"
#include "sim/run/list.hpp"
#include "sim/run/network_run.hpp"
#include "sim/run/simulate.hpp"

namespace tcsim::run {
namespace {

/// So many of the steps of a sampled network that run the same kernels, as a rule: the first find
/// an L2 that the others do not.
constexpr std::int64_t kSimulatedOfEqual = 2;

Forecast of_launches(const RunRequest& request, const PreparedRun& run,
                     const config::Machine& machine, const SimulationCost& cost) {
  Forecast result;
  result.title = run.inputs.title;
  result.machine = run.inputs.machine;
  result.kernels = static_cast<std::int64_t>(run.launches.size());
  result.held = {machine.gpu.sms, machine.l2.bytes / machine.l2.line_bytes, 0};
  const int times = request.warm_l2 ? 2 : 1;
  double longest = 0;
  double sampled = 0;
  for (const isa::KernelLaunch& launch : run.launches) {
    result.ctas += launch.cta_count();
    const std::int64_t resident = std::min(slots_for(launch, machine), launch.cta_count());
    result.held.warps = std::max(result.held.warps, resident * launch.warps_per_cta);
    const SimulationWork work = work_of(launch);
    for (int i = 0; i < times; ++i) result.work += work;
    const Repetition repetition = repetition_of(launch, machine);
    const double seconds = cost.seconds(work) - cost.start_s;
    sampled += times * seconds * cost.share_sampled(repetition);
    if (seconds <= longest) continue;
    longest = seconds;
    result.repetition = repetition;
  }
  result.seconds = cost.seconds(result.work);
  result.sampled_s = cost.start_s + sampled;
  result.memory_mib = cost.memory_mib(result.held);
  return result;
}

}  // namespace

bool is_sampled(const RunRequest& request, double seconds) {
  constexpr double kLong = 10;  // of one thread: always alike, whatever the host
  return request.sampling_error > 0 && (!request.samples_if_long || seconds > kLong);
}

double asked_seconds(const RunRequest& request, const Forecast& forecast) {
  return is_sampled(request, forecast.seconds) ? forecast.sampled_s : forecast.seconds;
}

Forecast forecast_of(const RunRequest& request, const workload::Workload& workload,
                     const config::MachineFile& machine, const SimulationCost& cost) {
  return of_launches(request, prepare_run_with(request, workload, machine), machine.machine, cost);
}

std::vector<Forecast> forecast(const RunRequest& request,
                               const std::vector<workload::Workload>& workloads) {
  const SimulationCost cost = read_simulation_cost();
  const bool is_one =
      workloads.size() == 1 && workloads.front().row == 0 && request.machines.size() == 1;
  library::KnownMachines machines;
  std::vector<Forecast> rows;
  for (std::size_t i = 0; i < asked_rows(workloads.size(), request); ++i) {
    for (const std::string& machine : request.machines) {
      RunRequest one = request;
      one.machines = {machine};
      const config::MachineFile& file = machines.of(machine, request.overrides, request.libraries);
      const auto refuse = [&](const std::exception& error) {
        if (is_one) throw;
        Forecast refused;
        refused.title = title_of(workloads[i]);
        refused.machine = machine;
        refused.refused = error.what();
        rows.push_back(std::move(refused));
      };
      try {
        rows.push_back(forecast_of(one, workloads[i], file, cost));
      } catch (const NotCovered& error) {
        refuse(error);
      } catch (const UsageError& error) {
        refuse(error);
      }
    }
  }
  return rows;
}

std::vector<Forecast> forecast_network(const RunRequest& request) {
  const SimulationCost cost = read_simulation_cost();
  const NetworkSession session(request, {});
  std::vector<Forecast> rows;
  session.visit_steps([&](const networks::Step& step, const PreparedRun& run, std::int64_t times) {
    Forecast row = of_launches(request, run, session.machine(), cost);
    row.title = step.layer + " " + row.title;
    row.kernels *= times;
    row.ctas *= times;
    row.work *= times;
    if (request.streams > 1)
      row.work *= std::int64_t{2} * request.streams;  // together, then in turn
    row.seconds = cost.seconds(row.work);
    const auto simulated = request.no_reuse ? times : std::min(times, kSimulatedOfEqual);
    row.sampled_s = request.streams > 1 ? row.seconds
                                        : cost.start_s + static_cast<double>(simulated) *
                                                             (row.sampled_s - cost.start_s);
    rows.push_back(std::move(row));
  });
  return rows;
}

}  // namespace tcsim::run
