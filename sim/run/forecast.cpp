#include "sim/run/forecast.hpp"

#include "sim/config/mistakes.hpp"
#include "sim/config/strict_map.hpp"
#include "sim/config/yaml_tree.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/read_file.hpp"
#include "sim/library/load.hpp"
#include "sim/run/network_run.hpp"
#include "sim/run/prepare/step.hpp"
#include "sim/run/simulate.hpp"
#include "workloads/trace/instruction_counts.hpp"

namespace tcsim::run {
namespace {

constexpr std::int64_t kSectorBytes = 32;

Forecast of_launches(const RunRequest& request, const PreparedRun& run,
                     const SimulationCost& cost) {
  Forecast result{run.inputs.title, run.inputs.machine, "", 0, 0, work_of(run.launches), 0};
  if (request.warm_l2) result.work += SimulationWork(result.work);
  result.kernels = static_cast<std::int64_t>(run.launches.size());
  for (const isa::KernelLaunch& launch : run.launches) result.ctas += launch.cta_count();
  result.seconds = cost.seconds(result.work);
  return result;
}

}  // namespace

SimulationWork& SimulationWork::operator+=(const SimulationWork& other) {
  warp_instructions += other.warp_instructions;
  mma_instructions += other.mma_instructions;
  sectors += other.sectors;
  buffer_sectors += other.buffer_sectors;
  return *this;
}

SimulationWork work_of(const std::vector<isa::KernelLaunch>& launches) {
  SimulationWork work;
  for (const isa::KernelLaunch& launch : launches) {
    const trace::InstructionCounts counts = trace::count_of_grid(launch);
    const trace::RequestedBytes bytes = trace::requested_bytes(counts);
    std::int64_t buffers = 0;
    for (const isa::Buffer& buffer : launch.buffers)
      buffers += static_cast<std::int64_t>(buffer.bytes);
    work += {counts.total(), counts.mma(),
             (bytes.global_read + bytes.global_written) / kSectorBytes, buffers / kSectorBytes};
  }
  return work;
}

double SimulationCost::seconds(const SimulationWork& work) const {
  const auto others = static_cast<double>(work.warp_instructions - work.mma_instructions);
  return start_s + 1e-9 * (instruction_ns * others +
                           mma_instruction_ns * static_cast<double>(work.mma_instructions) +
                           sector_ns * static_cast<double>(work.sectors) +
                           buffer_sector_ns * static_cast<double>(work.buffer_sectors));
}

SimulationCost read_simulation_cost() {
  const auto file = files::data_folder("configs") / "simulator" / "cost.yaml";
  config::Mistakes mistakes(file.string());
  const config::TreeFile tree = config::parse_yaml(
      file.string(), files::read_file(file, files::FileKind::kSources), mistakes);
  config::StrictMap map(tree.root, "", mistakes);
  constexpr double kMost = 1e6;
  const SimulationCost cost{map.number("start_s", 0, kMost),
                            map.number("instruction_ns", 0, kMost),
                            map.number("mma_instruction_ns", 0, kMost),
                            map.number("sector_ns", 0, kMost),
                            map.number("buffer_sector_ns", 0, kMost),
                            map.number("memory_share", 0, 1)};
  map.finish();
  mistakes.finish();
  return cost;
}

std::vector<Forecast> forecast(const RunRequest& request,
                               const std::vector<workload::Workload>& workloads) {
  const SimulationCost cost = read_simulation_cost();
  const bool is_one = workloads.size() == 1 && workloads.front().row == 0;
  std::vector<Forecast> rows;
  for (const workload::Workload& workload : workloads) {
    for (const std::string& machine : request.machines) {
      RunRequest one = request;
      one.machines = {machine};
      const config::MachineFile file =
          library::read_machine(machine, request.overrides, request.libraries);
      try {
        rows.push_back(of_launches(one, prepare_run_with(one, workload, file, 1), cost));
      } catch (const NotCovered& error) {
        if (is_one && request.machines.size() == 1) throw;
        rows.push_back({title_of(workload), machine, error.what(), 0, 0, {}, 0});
      }
    }
  }
  return rows;
}

std::vector<Forecast> forecast_network(const RunRequest& request) {
  const SimulationCost cost = read_simulation_cost();
  std::vector<Forecast> rows;
  NetworkSession(request, {}).visit_steps([&](const networks::Step& step, const PreparedRun& run) {
    rows.push_back(of_launches(request, run, cost));
    rows.back().title = step.layer + " " + rows.back().title;
  });
  return rows;
}

}  // namespace tcsim::run
