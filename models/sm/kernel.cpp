#include "models/sm/kernel.hpp"

namespace tcsim::sm {
namespace {

/// The programs of `launch`, whose code starts at line `first_line`.
std::vector<DecodedProgram> decoded_programs(const isa::KernelLaunch& launch,
                                             const SmParams& params, const isa::TimingTable& timing,
                                             std::uint32_t first_line) {
  std::vector<DecodedProgram> programs;
  for (const isa::WarpProgram& program : launch.programs) {
    programs.push_back(decode(program, launch, timing, params));
    programs.back().first_line = first_line;
    first_line += code_lines(program, params.instruction_fetch);
  }
  return programs;
}

/// The accesses of the recording of `launch`, if it has one.
std::vector<DecodedAccess> decoded_accesses(const isa::KernelLaunch& launch) {
  std::vector<DecodedAccess> accesses;
  if (launch.recording == nullptr) return accesses;
  for (const isa::LanePattern& pattern : launch.recording->patterns())
    decode(pattern, accesses.emplace_back());
  return accesses;
}

/// Gives every access its id; returns their number.
std::size_t number_accesses(std::vector<DecodedProgram>& programs,
                            std::vector<DecodedAccess>& recorded) {
  int accesses = 0;
  for (DecodedProgram& program : programs)
    for (DecodedAccess& access : program.accesses) access.id = accesses++;
  for (DecodedAccess& access : recorded) access.id = accesses++;
  return static_cast<std::size_t>(accesses);
}

}  // namespace

std::uint32_t Kernel::end_line(const isa::KernelLaunch& launch, const InstructionFetchParams& fetch,
                               std::uint32_t first) {
  for (const isa::WarpProgram& program : launch.programs) first += code_lines(program, fetch);
  return first;
}

Kernel::Kernel(const isa::KernelLaunch& launch, const SmParams& params,
               const isa::TimingTable& timing, std::uint32_t first_line,
               std::uint32_t constant_line)
    : launch_(launch),
      programs_(decoded_programs(launch_, params, timing, first_line)),
      recorded_accesses_(decoded_accesses(launch_)),
      patterns_(params, number_accesses(programs_, recorded_accesses_)),
      end_line_(end_line(launch, params.instruction_fetch, first_line)),
      constant_line_(constant_line) {}

}  // namespace tcsim::sm
