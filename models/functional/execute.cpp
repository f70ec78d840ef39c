#include "models/functional/execute.hpp"

#include <optional>
#include <string>

#include "models/functional/cluster.hpp"

namespace tcsim::functional {
namespace {

numerics::Refusal located(const isa::KernelLaunch& launch, const numerics::Refusal& refusal) {
  return {refusal.kind, "kernel " + launch.name + ": " + refusal.reason};
}

std::optional<numerics::Refusal> check(std::span<const isa::KernelLaunch> stream,
                                       GlobalMemory& memory) {
  for (const isa::KernelLaunch& launch : stream) {
    const std::vector<std::string> problems = isa::validate(launch);
    if (!problems.empty()) return located(launch, numerics::mistake(problems.front()));
    if (!memory.buffers_of(launch))
      return located(launch,
                     numerics::mistake("the memory was not made for the buffers of this launch"));
  }
  const std::string conflict = memory.conflict();
  if (!conflict.empty()) return numerics::mistake(conflict);
  return std::nullopt;
}

/// Adds `races` of launch number `launch`.
void add(ExecutionResult& result, const std::vector<Race>& races, std::size_t launch) {
  for (const Race& race : races) {
    result.racing_bytes += race.bytes;
    if (result.races.size() == ExecutionResult::kMostRaces) continue;
    result.races.push_back(race);
    result.races.back().launch = static_cast<std::int64_t>(launch);
  }
}

/// Runs launch number `number` of `stream`.
std::optional<numerics::Refusal> run(std::span<const isa::KernelLaunch> stream, std::size_t number,
                                     MatrixUnit& matrix_unit, GlobalMemory& memory,
                                     const Poll& poll, ExecutionResult& result) {
  const isa::KernelLaunch& launch = stream[number];
  matrix_unit.begin_launch(static_cast<std::int64_t>(number));
  const auto buffers = memory.buffers_of(launch);
  std::vector<LaneProgram> programs;
  programs.reserve(launch.programs.size());
  for (const isa::WarpProgram& program : launch.programs) programs.emplace_back(program);
  std::optional<GlobalOrder> global_order;
  if (GlobalOrder::is_needed_by(launch)) global_order.emplace(launch);
  for (std::int64_t index = 0; index < launch.cta_count() / launch.cluster_size(); ++index) {
    poll();
    Cluster cluster(launch, programs, index, *buffers, matrix_unit,
                    global_order ? &*global_order : nullptr);
    if (const auto refusal = cluster.run()) return located(launch, *refusal);
    for (const auto& cta : cluster.ctas()) add(result, cta->races(), number);
  }
  if (global_order) add(result, global_order->races(), number);
  return std::nullopt;
}

}  // namespace

numerics::Result<ExecutionResult> execute(std::span<const isa::KernelLaunch> stream,
                                          const numerics::TensorArithmetic& core,
                                          GlobalMemory& memory, MmaEngine* engine,
                                          const Poll& poll) {
  if (auto refusal = check(stream, memory)) return *refusal;
  MatrixUnit matrix_unit(core, engine);
  ExecutionResult result;
  for (std::size_t i = 0; i < stream.size(); ++i)
    if (auto refusal = run(stream, i, matrix_unit, memory, poll, result)) return *refusal;
  return result;
}

numerics::Result<ExecutionResult> execute(const isa::KernelLaunch& launch,
                                          const numerics::TensorArithmetic& core,
                                          GlobalMemory& memory, MmaEngine* engine) {
  return execute(std::span(&launch, 1), core, memory, engine);
}

}  // namespace tcsim::functional
