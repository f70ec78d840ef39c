#include "models/functional/execute.hpp"

#include <optional>
#include <string>

#include "models/functional/cta.hpp"

namespace tcsim::functional {
namespace {

std::optional<numerics::Refusal> check(const isa::KernelLaunch& launch,
                                       const GlobalMemory& memory) {
  const std::vector<std::string> problems = isa::validate(launch);
  if (!problems.empty()) return numerics::mistake(problems.front());
  bool fits = memory.buffers() == static_cast<int>(launch.buffers.size());
  for (int i = 0; fits && i < memory.buffers(); ++i)
    fits = memory.buffer(i).size() == launch.buffers[static_cast<std::size_t>(i)].bytes;
  if (!fits) return numerics::mistake("the memory was not made for the buffers of this launch");
  return std::nullopt;
}

void add(ExecutionResult& result, const std::vector<Race>& races) {
  for (const Race& race : races) {
    result.racing_bytes += race.bytes;
    if (result.races.size() < ExecutionResult::kMostRaces) result.races.push_back(race);
  }
}

}  // namespace

numerics::Result<ExecutionResult> execute(const isa::KernelLaunch& launch,
                                          numerics::Generation generation, GlobalMemory& memory,
                                          MmaEngine* engine) {
  if (auto refusal = check(launch, memory)) return *refusal;
  std::vector<LaneProgram> programs;
  programs.reserve(launch.programs.size());
  for (const isa::WarpProgram& program : launch.programs) programs.emplace_back(program);
  MatrixUnit matrix_unit(generation, engine);
  ExecutionResult result;
  for (std::int64_t index = 0; index < launch.cta_count(); ++index) {
    Cta cta(launch, programs, index, memory, matrix_unit);
    if (auto refusal = cta.run()) return *refusal;
    add(result, cta.races());
  }
  return result;
}

}  // namespace tcsim::functional
