#include "sim/run/simulation_cost.hpp"

#include <algorithm>

#include "sim/config/mistakes.hpp"
#include "sim/config/strict_map.hpp"
#include "sim/config/yaml_tree.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/read_file.hpp"
#include "workloads/trace/instruction_counts.hpp"

namespace tcsim::run {

SimulationWork& SimulationWork::operator+=(const SimulationWork& other) {
  warp_instructions += other.warp_instructions;
  mma_instructions += other.mma_instructions;
  sectors += other.sectors;
  buffer_sectors += other.buffer_sectors;
  return *this;
}

SimulationWork& SimulationWork::operator*=(std::int64_t times) {
  warp_instructions *= times;
  mma_instructions *= times;
  sectors *= times;
  buffer_sectors *= times;
  return *this;
}

SimulationWork work_of(const isa::KernelLaunch& launch) {
  constexpr std::int64_t kSectorBytes = 32;
  const trace::InstructionCounts counts = trace::count_of_grid(launch);
  const trace::RequestedBytes bytes = trace::requested_bytes(counts);
  std::int64_t buffers = 0;
  for (const isa::Buffer& buffer : launch.buffers)
    buffers += static_cast<std::int64_t>(buffer.bytes);
  return {counts.total(), counts.mma(), (bytes.global_read + bytes.global_written) / kSectorBytes,
          buffers / kSectorBytes};
}

SimulationWork work_of(const std::vector<isa::KernelLaunch>& launches) {
  SimulationWork work;
  for (const isa::KernelLaunch& launch : launches) work += work_of(launch);
  return work;
}

double SimulationCost::seconds(const SimulationWork& work) const {
  const auto others = static_cast<double>(work.warp_instructions - work.mma_instructions);
  return start_s + 1e-9 * (instruction_ns * others +
                           mma_instruction_ns * static_cast<double>(work.mma_instructions) +
                           sector_ns * static_cast<double>(work.sectors) +
                           buffer_sector_ns * static_cast<double>(work.buffer_sectors));
}

double SimulationCost::share_sampled(const Repetition& repetition) const {
  const auto trips = static_cast<double>(repetition.trips);
  const double of_trips =
      trips <= sampled_trips ? 1 : sampled_share + (1 - sampled_share) * sampled_trips / trips;
  const double iterations = std::max(1.0, trips) * std::max(1.0, repetition.waves);
  return std::min(of_trips, sampled_iterations / iterations);
}

double SimulationCost::memory_mib(const HeldState& state) const {
  constexpr double kKibibyte = 1024;
  constexpr double kMebibyte = kKibibyte * kKibibyte;
  return program_mib + sm_kib / kKibibyte * static_cast<double>(state.sms) +
         (l2_line_bytes * static_cast<double>(state.l2_lines) +
          warp_bytes * static_cast<double>(state.warps)) /
             kMebibyte;
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
                            map.number("memory_share", 0, 1),
                            map.number("sampled_trips", 1, kMost),
                            map.number("sampled_share", 0, 1),
                            map.number("sampled_iterations", 1, kMost),
                            map.number("program_mib", 0, kMost),
                            map.number("sm_kib", 0, kMost),
                            map.number("l2_line_bytes", 0, kMost),
                            map.number("warp_bytes", 0, kMost)};
  map.finish();
  mistakes.finish();
  return cost;
}

}  // namespace tcsim::run
