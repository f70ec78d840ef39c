#include "sim/microbench/measure.hpp"

#include <fmt/core.h>

#include <cmath>

#include "models/sm/params.hpp"
#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/gpu/occupancy.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/microbench/programs.hpp"

namespace tcsim::microbench {
namespace {

/// Why `machine` cannot run `test`; empty if it can.
std::string refusal(const config::Machine& machine, const isa::TimingTable& timing,
                    const TestWords& test) {
  for (const isa::Opcode opcode : operation_steps(test.program))
    if (!timing[static_cast<std::size_t>(opcode)].supported())
      return fmt::format("{} has no {}", machine.name, isa::opcode_info(opcode).mnemonic);
  return {};
}

/// Why `machine` cannot run an instruction of `launch`; empty if it can.
std::string refusal(const config::Machine& machine, const isa::TimingTable& timing,
                    const isa::KernelLaunch& launch) {
  for (const isa::WarpProgram& program : launch.programs)
    for (const isa::Instruction& instruction : program.instructions)
      if (!timing[static_cast<std::size_t>(instruction.opcode)].supported())
        return fmt::format("{} has no {}", machine.name,
                           isa::opcode_info(instruction.opcode).mnemonic);
  return {};
}

/// `machine_name` with the settings of `row` on top of `overrides`; mistakes in these words are
/// reported at the row's place. Throws ConfigError.
config::Machine machine_of(const PublishedRow& row, const std::string& machine_name,
                           const std::vector<std::string>& overrides) {
  std::vector<std::string> all = overrides;
  all.insert(all.end(), row.overrides.begin(), row.overrides.end());
  try {
    return config::load_machine(machine_name, all);
  } catch (const config::ConfigError& error) {
    std::vector<std::string> messages = error.messages();
    for (std::string& message : messages)
      for (std::size_t word = overrides.size() + 1; word <= all.size(); ++word)
        if (const std::string place = fmt::format("--set #{}: ", word); message.starts_with(place))
          message.replace(0, place.size(), row.set_place + ": set: ");
    throw config::ConfigError(std::move(messages));
  }
}

}  // namespace

MeasuredRow measure(const PublishedRow& row, const std::string& machine_name,
                    const std::vector<std::string>& overrides,
                    const std::function<bool()>& keep_going) {
  const config::Machine machine = machine_of(row, machine_name, overrides);
  const isa::TimingTable timing = sm::timing_table(machine.sm);
  MeasuredRow result{row, {}, refusal(machine, timing, row.test)};
  if (!result.reason.empty()) return result;

  const Measurement measurement = make_measurement(machine, timing, row.test, row.unit);
  for (const isa::KernelLaunch& launch : measurement.launches) {
    result.reason = refusal(machine, timing, launch);
    if (!result.reason.empty()) return result;
    if (const gpu::Occupancy fit = gpu::occupancy(machine, launch);
        fit.ctas_per_sm < measurement.ctas_per_sm) {
      result.reason = fmt::format("{} of {} CTAs fit on an SM: {}", fit.ctas_per_sm,
                                  measurement.ctas_per_sm, fit.limit);
      return result;
    }
    if (gpu::resident_clusters(machine, launch) == 0) {
      result.reason = fmt::format("{} has no place for a cluster of {} CTAs", machine.name,
                                  launch.cluster_size());
      return result;
    }
  }
  gpu::SimulationOptions options;
  if (measurement.overwritten_l2) {
    options.l2 = {gpu::overwritten_l2(machine, measurement.launches)};
    options.cold_code = true;
  }
  gpu::Simulation simulation(machine, options);
  const gpu::Outcome outcome = simulation.run(
      measurement.launches, [&](const gpu::Progress&) { return !keep_going || keep_going(); });
  if (outcome.stop != gpu::StopReason::kFinished) {
    result.reason =
        outcome.stop == gpu::StopReason::kInterrupted ? "interrupted" : outcome.diagnosis;
    return result;
  }
  std::vector<Cycle> cycles;
  for (const gpu::KernelSpan& span : outcome.kernels) cycles.push_back(span.end - span.start);
  const double figure = measurement.figure(cycles);
  if (std::isfinite(figure))
    result.model = figure;
  else
    result.reason = machine.name + " has nothing to measure with these parameters";
  return result;
}

}  // namespace tcsim::microbench
